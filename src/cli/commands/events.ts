/** `handset events` and `listen`. */
import { Webhook } from 'standardwebhooks';
import type { EventEnvelope } from '../../domain/event.ts';
import { messageOf } from '../../errors.ts';
import { type Command, type Context, deviceId, textOption, flagOption } from '../command/command.ts';
import { usageError } from '../../mcp/failure.ts';
import { eventFeed } from '../../mcp/event-feed.ts';
import { type Part, paint } from '../terminal/paint.ts';
import { summaryOf } from '../terminal/event-summary.ts';

/** Same as for webhooks (docs/spec/webhooks.md, Signature). */
const timeoutMs = 15_000;

const targetOf = (text: string | undefined): string => {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw usageError('--forward-to must be an http:// or https:// URL');
  }
  return url.href;
};

/** Posts once, without retries: a developer wants to see the failure, and the event stays in the log. */
const forward = async (
  webhook: Webhook,
  target: string,
  event: EventEnvelope,
  signal: AbortSignal,
): Promise<string> => {
  const body = JSON.stringify(event);
  const now = new Date();
  const headers = {
    'content-type': 'application/json',
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': webhook.sign(event.id, now, body),
  };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    const response = await fetch(target, { method: 'POST', headers, body, redirect: 'manual', signal: limit });
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    if (signal.aborted) throw error;
    return error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : messageOf(error);
  }
};

const resultOf = (result: string): Part => paint(/^2\d\d$/.test(result) ? 'good' : 'bad', result);

const secretOf = async (context: Context, id: number): Promise<string> =>
  (await context.client().call<{ webhook: { secret: string } }>('GET', `/devices/${id}/webhook`)).webhook.secret;

const listen: Command = {
  words: 'listen',
  summary: 'Forward the events of a device to a URL on this machine',
  positionals: ['device'],
  options: {
    'forward-to': { type: 'string', help: 'URL to post them to, such as http://localhost:3000/webhook (required)' },
    events: { type: 'string', help: 'event kinds, separated by commas (default: all)' },
    after: { type: 'string', help: 'start after this event (evt_…) instead of with new events' },
  },
  async run(context, given) {
    const { client, out, signal } = context;
    const id = deviceId(given);
    const target = targetOf(textOption(given, 'forward-to'));
    const wanted = textOption(given, 'events')
      ?.split(',')
      .map((kind) => kind.trim());
    const secret = await secretOf(context, id);
    const webhook = new Webhook(secret);
    out.note(`Signing secret: ${secret}`);
    out.note(`Forwarding the events of device ${id} to ${target}; press Ctrl-C to stop`);
    const note = (text: string): void => out.note(text);
    for await (const event of eventFeed(client(), id, textOption(given, 'after') ?? null, signal, note)) {
      if (wanted !== undefined && !wanted.includes(event.type)) continue;
      const result = await forward(webhook, target, event, signal);
      out.value({ id: event.id, type: event.type, result });
      out.line(paint('faint', event.timestamp), `  ${event.type.padEnd(18)} ${event.id}  `, resultOf(result));
    }
  },
};

interface EventPage {
  readonly events: readonly EventEnvelope[];
  readonly nextCursor: string | null;
}

const print = ({ out }: Context, event: EventEnvelope): void => {
  out.value(event);
  out.line(paint('faint', `${event.timestamp}  ${event.id}`), '  ', ...summaryOf(event));
};

interface Range {
  /** Given: oldest first after this event; otherwise newest first. */
  readonly after: string | undefined;
  readonly last: string | undefined;
  readonly types: string | undefined;
}

const printLog = async (context: Context, id: number, { after, last, types }: Range): Promise<void> => {
  const query = new URLSearchParams({ limit: last ?? '1000', ...(types !== undefined && { types }) });
  if (after === undefined) query.set('order', 'newest');
  else query.set('after', after);
  for (;;) {
    const path = `/devices/${id}/events?${query.toString()}`;
    const { events: page, nextCursor } = await context.client().call<EventPage>('GET', path);
    for (const event of page) print(context, event);
    if (nextCursor === null || last !== undefined) return;
    query.set(after === undefined ? 'before' : 'after', nextCursor);
  }
};

const events: Command = {
  words: 'events',
  summary: 'Print the event log of a device, newest first, or follow it',
  positionals: ['device'],
  options: {
    last: { type: 'string', help: 'only the newest, this many at most (1 to 1000)' },
    follow: { type: 'boolean', short: 'f', help: 'follow new events (or those since --after) until Ctrl-C' },
    after: { type: 'string', help: 'only events after this one (evt_…), oldest first' },
    types: { type: 'string', help: 'only these kinds, separated by commas' },
  },
  async run(context, given) {
    const id = deviceId(given);
    const after = textOption(given, 'after');
    const types = textOption(given, 'types');
    if (!flagOption(given, 'follow')) return printLog(context, id, { after, types, last: textOption(given, 'last') });
    const note = (text: string): void => context.out.note(text);
    const wanted = types?.split(',');
    for await (const event of eventFeed(context.client(), id, after ?? null, context.signal, note))
      if (wanted?.includes(event.type) !== false) print(context, event);
  },
};

export const eventCommands: readonly Command[] = [events, listen];
