/** `handset events`: the event log of a device, and with `--follow` what happens from now on. */
import type { EventEnvelope } from '../../domain/event.ts';
import { type Command, type Context, deviceId, flagOption, textOption } from '../command/command.ts';
import { eventFeed } from '../terminal/event-feed.ts';
import { summaryOf } from '../terminal/event-summary.ts';
import { paint } from '../terminal/paint.ts';

interface EventPage {
  readonly events: readonly EventEnvelope[];
  readonly nextCursor: string | null;
}

const print = ({ out }: Context, event: EventEnvelope): void => {
  out.value(event);
  out.line(paint('faint', `${event.timestamp}  ${event.id}`), '  ', ...summaryOf(event));
};

const printLog = async (context: Context, id: number, from: string | null, types?: string): Promise<void> => {
  let after = from;
  do {
    const query = new URLSearchParams({
      limit: '1000',
      ...(after !== null && { after }),
      ...(types !== undefined && { types }),
    }).toString();
    const page = await context.client().call<EventPage>('GET', `/devices/${id}/events?${query}`);
    for (const event of page.events) print(context, event);
    after = page.nextCursor;
  } while (after !== null);
};

/** The newest ones, oldest of them first. */
const printLast = async (context: Context, id: number, last: string, types?: string): Promise<void> => {
  const query = new URLSearchParams({ order: 'newest', limit: last, ...(types !== undefined && { types }) }).toString();
  const page = await context.client().call<EventPage>('GET', `/devices/${id}/events?${query}`);
  for (const event of page.events.toReversed()) print(context, event);
};

export const events: Command = {
  words: 'events',
  summary: 'Print the event log of a device, or follow it',
  positionals: ['device'],
  options: {
    last: { type: 'string', help: 'only the newest, at most this many (1 to 1000)' },
    follow: { type: 'boolean', short: 'f', help: 'follow new events (or those since --after) until Ctrl-C' },
    after: { type: 'string', help: 'start after this event (evt_…)' },
    types: { type: 'string', help: 'only these kinds, separated by commas' },
  },
  async run(context, given) {
    const id = deviceId(given);
    const after = textOption(given, 'after') ?? null;
    const types = textOption(given, 'types');
    const last = textOption(given, 'last');
    if (last !== undefined) return printLast(context, id, last, types);
    if (!flagOption(given, 'follow')) {
      await printLog(context, id, after, types);
      return;
    }
    const note = (text: string): void => context.out.note(text);
    const wanted = types?.split(',');
    for await (const event of eventFeed(context.client(), id, after, context.signal, note))
      if (wanted?.includes(event.type) !== false) print(context, event);
  },
};
