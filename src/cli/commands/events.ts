/** `handset events` and `listen`. */
import { Webhook } from 'standardwebhooks';
import type { EventEnvelope, DeviceEvent, MessageData, MessageUpdate } from '../../domain/event.ts';
import { messageOf } from '../../errors.ts';
import {
  type Arguments,
  type Command,
  type Context,
  deviceId,
  eventOption,
  flagOption,
  listOption,
  textOption,
} from '../command/command.ts';
import { usageError } from '../../mcp/client.ts';
import { eventFeed } from '../../mcp/event-feed.ts';
import { type Part, paint } from '../terminal/paint.ts';

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

/** An unknown kind would be waited for without an end, so the service judges them first. */
const followedKinds = async (
  { client }: Context,
  id: number,
  given: Arguments,
): Promise<readonly string[] | undefined> => {
  const wanted = listOption(given, 'event');
  if (wanted !== undefined) {
    const query = new URLSearchParams({ limit: '1', types: wanted.join() });
    await client().call('GET', `/devices/${id}/events?${query.toString()}`);
  }
  return wanted;
};

const secretOf = async (context: Context, id: number): Promise<string> =>
  (await context.client().call<{ webhook: { secret: string } }>('GET', `/devices/${id}/webhook`)).webhook.secret;

const listen: Command = {
  words: 'listen',
  summary: 'Forward the events of a device to a URL on this machine',
  positionals: ['device'],
  options: {
    'forward-to': { type: 'string', help: 'URL to post them to, such as http://localhost:3000/webhook (required)' },
    ...eventOption,
    after: { type: 'string', help: 'start after this event (evt_…) instead of with new events' },
  },
  async run(context, given) {
    const { client, out, signal } = context;
    const id = deviceId(given);
    const target = targetOf(textOption(given, 'forward-to'));
    const wanted = await followedKinds(context, id, given);
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

const excerptLength = 60;

const excerpt = (text: string | null): string => {
  if (text === null) return '';
  const line = text.replace(/\s+/g, ' ');
  return ` "${line.length > excerptLength ? `${line.slice(0, excerptLength)}…` : line}"`;
};

const who = (message: MessageData): string => message.fromNumber ?? message.from;

/** Posts of channels and statuses are told by type and text alone. */
const said = (message: Partial<MessageData> & Pick<MessageData, 'type' | 'text'>): string => {
  const { type, text, location, contacts, poll, groupInvite } = message;
  const place = location ? ` at ${location.latitude ?? '?'}, ${location.longitude ?? '?'}` : '';
  const people = (contacts ?? []).map(({ name, numbers }) => name ?? numbers[0] ?? '').join(', ');
  const more = [poll?.options.join(' / '), groupInvite?.subject, text === people ? '' : people].find(Boolean);
  return `${type}${excerpt(text)}${place}${more ? ` (${excerpt(more).slice(2, -1)})` : ''}`;
};

const changed = (update: MessageUpdate): string => {
  if ('status' in update && update.from === undefined) return update.status;
  if (!('from' in update) || update.from === undefined) return JSON.stringify(update);
  const by = update.from.number ?? update.from.jid;
  if ('reaction' in update)
    return `${by} ${update.reaction === null ? 'took a reaction back' : `reacted ${update.reaction}`}`;
  if ('votes' in update) return `${by} voted${excerpt(update.votes.map(({ option }) => option ?? '?').join(', '))}`;
  if ('response' in update) return `${by} answered ${update.response}`;
  if ('pinned' in update) return `${by} ${update.pinned ? 'pinned' : 'unpinned'} it`;
  if ('status' in update) return `${update.status} by ${by}`;
  return JSON.stringify(update);
};

const ofChannel = (event: Extract<DeviceEvent, { type: `channel.${string}` }>): string => {
  const { channel } = event.data;
  if (event.type === 'channel.updated') return `${channel}: ${JSON.stringify(event.data.change)}`;
  if (event.type === 'channel.message.updated')
    return `${event.data.serverId} in ${channel}: ${JSON.stringify(event.data.update)}`;
  const { type, text } = event.data.message;
  return `${channel}: ${said({ type, text })}`;
};

const described = (event: DeviceEvent): string => {
  switch (event.type) {
    case 'connection.open':
      return event.data.phoneNumber;
    case 'connection.closed':
      return `${event.data.reason}${event.data.willReconnect ? ', reconnecting' : ''}`;
    case 'connection.auth':
      return event.data.pairingCode === null ? 'a QR is ready' : `pairing code ${event.data.pairingCode}`;
    case 'connection.logout':
      return event.data.reason;
    case 'message.received':
      return `from ${who(event.data.message)}: ${said(event.data.message)}`;
    case 'message.sent':
      return `to ${event.data.message.chatNumber ?? event.data.message.chat}: ${said(event.data.message)}`;
    case 'message.updated':
      return `${event.data.messageId}: ${changed(event.data.update)}`;
    case 'message.deleted':
      return event.data.messageId;
    case 'call':
      return `${event.data.status} from ${event.data.fromNumber ?? event.data.from}`;
    case 'chat.presence':
      return `${event.data.person.number ?? event.data.person.jid}: ${event.data.state}`;
    case 'account.limited':
      return event.data.reason ?? 'nothing is restricted any more';
    case 'group.updated':
      return `${event.data.subject ?? event.data.group}: ${JSON.stringify(event.data.change)}`;
    case 'group.joined':
    case 'group.left':
      return `${event.data.subject ?? event.data.group}${event.data.reason === null ? '' : ` (${event.data.reason})`}`;
    case 'chat.settled':
      return `${event.data.messages.length} messages of ${event.data.chatNumber ?? event.data.chat}`;
    case 'chat.updated':
      return `${event.data.chatNumber ?? event.data.chat}: ${JSON.stringify(event.data.change)}`;
    case 'chat.cleared':
    case 'chat.deleted':
      return event.data.chatNumber ?? event.data.chat;
    case 'contact.updated':
      return `${event.data.number ?? event.data.jid}: ${JSON.stringify(event.data.change)}`;
    case 'label.updated':
      return `${event.data.label.name}${event.data.deleted ? ' (deleted)' : ''}`;
    case 'status.received': {
      const { from, fromNumber, type, text } = event.data.status;
      return `from ${fromNumber ?? from}: ${said({ type, text })}`;
    }
    case 'status.deleted':
    case 'status.viewed':
      return `${event.data.statusId} by ${event.data.by.number ?? event.data.by.jid}`;
    case 'channel.message':
    case 'channel.message.updated':
    case 'channel.updated':
      return ofChannel(event);
    case 'device.created':
    case 'device.deleted':
      return event.data.name;
    case 'history.loaded':
      return `${event.data.count} older messages${event.data.chat === null ? '' : ` of ${event.data.chat}`}`;
    default:
      return '';
  }
};

const summaryOf = (envelope: EventEnvelope): readonly Part[] => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the interface is the contract; unknown kinds end in the default
  const event = { type: envelope.type, data: envelope.data } as DeviceEvent;
  const text = described(event);
  const kind = paint(/^connection\.(?:closed|timeout|logout)$/.test(envelope.type) ? 'bad' : 'strong', envelope.type);
  return text === '' ? [kind] : [kind, ' '.repeat(Math.max(1, 19 - envelope.type.length)), text];
};

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
    ...eventOption,
  },
  async run(context, given) {
    const id = deviceId(given);
    const after = textOption(given, 'after');
    if (!flagOption(given, 'follow')) {
      const types = listOption(given, 'event')?.join();
      return printLog(context, id, { after, types, last: textOption(given, 'last') });
    }
    const wanted = await followedKinds(context, id, given);
    const note = (text: string): void => context.out.note(text);
    for await (const event of eventFeed(context.client(), id, after ?? null, context.signal, note))
      if (wanted?.includes(event.type) !== false) print(context, event);
  },
};

export const eventCommands: readonly Command[] = [events, listen];
