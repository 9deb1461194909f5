/** `handset deliveries list`, `show` and `replay`: what was posted to a webhook, and the answers. */
import { type Command, noteNext, positional, queryOf, textOption } from '../command/command.ts';
import { table } from '../terminal/output.ts';
import { webhookPath } from './webhooks.ts';

interface Delivery {
  readonly id: string;
  readonly deviceId: number;
  readonly eventType: string;
  readonly state: string;
  readonly attempts: number;
  readonly createdAt: string;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
}

interface Page {
  readonly deliveries: readonly Delivery[];
  readonly nextCursor: string | null;
}

interface Attempt {
  readonly at: string;
  readonly status: number | null;
  readonly ms: number | null;
  readonly error: string | null;
  readonly answer: string | null;
  readonly headers: Readonly<Record<string, string>> | null;
}

const numberText = (value: number | null): string => (value === null ? '' : String(value));

const deliveriesList: Command = {
  words: 'deliveries list',
  summary: 'List the deliveries of a webhook, newest first ("primary": the device’s own)',
  positionals: ['device', 'webhook'],
  options: {
    state: { type: 'string', help: 'pending, delivered or failed' },
    limit: { type: 'string', help: 'how many, 100 by default' },
    cursor: { type: 'string', help: 'continue after an earlier page' },
  },
  async run(context, given) {
    const { client, out } = context;
    const path = `${webhookPath(given)}/deliveries${queryOf(given, ['state', 'limit', 'cursor'])}`;
    const { deliveries, nextCursor } = await client().call<Page>('GET', path);
    out.value(deliveries);
    const isWide = positional(given, 0) === 'all';
    const rows = deliveries.map((each) => [
      each.id,
      ...(isWide ? [String(each.deviceId)] : []),
      each.state,
      numberText(each.lastStatus),
      String(each.attempts),
      each.eventType,
      each.createdAt,
    ]);
    const titles = ['DELIVERY', ...(isWide ? ['DEVICE'] : []), 'STATE', 'STATUS', 'ATTEMPTS', 'EVENT', 'CREATED'];
    out.line(...(rows.length === 0 ? ['No deliveries'] : table(titles, rows)));
    noteNext(context, nextCursor);
  },
};

const deliveriesShow: Command = {
  words: 'deliveries show',
  summary: 'Show the attempts of a delivery, newest first',
  positionals: ['device', 'webhook', 'delivery'],
  async run({ client, out }, given) {
    const path = `${webhookPath(given)}/deliveries/${encodeURIComponent(positional(given, 2))}/attempts`;
    const { attempts } = await client().call<{ attempts: readonly Attempt[] }>('GET', path);
    out.value(attempts);
    const rows = attempts.map(({ at, status, ms, error, answer }) => [
      at,
      numberText(status),
      numberText(ms),
      error ?? answer ?? '',
    ]);
    out.line(...(rows.length === 0 ? ['No attempts yet'] : table(['AT', 'STATUS', 'MS', 'ANSWER'], rows)));
    for (const { at, headers } of attempts) {
      if (headers === null) continue;
      out.line('', `Headers of ${at}:`, ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`));
    }
  },
};

interface Said {
  readonly status: { readonly message: string };
}

const deliveriesReplay: Command = {
  words: 'deliveries replay',
  summary: 'Post a delivery again, or all that have failed',
  positionals: ['device', 'webhook', 'delivery?'],
  options: {
    since: { type: 'string', help: 'of all that have failed, only those that were last tried since then (RFC 3339)' },
  },
  async run({ client, out }, given) {
    const [, , delivery] = given.positionals;
    if (delivery === undefined) {
      const body = { since: textOption(given, 'since') };
      const { retried, paused, status } = await client().call<{ retried: number; paused: boolean } & Said>(
        'POST',
        `${webhookPath(given)}/deliveries/retry`,
        body,
      );
      out.value({ retried, paused });
      out.line(status.message);
      return;
    }
    const path = `${webhookPath(given)}/deliveries/${encodeURIComponent(delivery)}/retry`;
    const answer = await client().call<Said>('POST', path);
    out.value(answer);
    out.line(answer.status.message.replace('Delivery', `Delivery ${delivery}`));
  },
};

export const deliveryCommands: readonly Command[] = [deliveriesList, deliveriesShow, deliveriesReplay];
