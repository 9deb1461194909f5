/** Answers as a model reads them: short, since it pays per token. */
import { nameOf, type Person } from './people.ts';

export type Json = Readonly<Record<string, unknown>>;

const maxLength = 200;
const maxIntervals = 31;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEmpty = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

const withoutEmpty = (thing: Json): Json =>
  Object.fromEntries(Object.entries(thing).filter(([, value]) => !isEmpty(value)));

const ofRow = ['id', 'serverId', 'direction', 'from', 'type', 'text', 'state', 'timestamp', 'chat', 'views'];

const rowOf = (message: Json): Json => {
  const { from, fromNumber, pushName: name, fromUsername: username, text } = message;
  const row = { ...message, from: fromNumber ?? from, text: typeof text === 'string' ? cut(text) : text };
  const shown = Object.entries(row).filter(([member, value]) => ofRow.includes(member) && value !== undefined);
  return { ...Object.fromEntries(shown), ...withoutEmpty({ name: name ?? null, username: username ?? null }) };
};

const cut = (whole: string): string => (whole.length <= maxLength ? whole : `${whole.slice(0, maxLength - 1)}…`);

const messageOf = (message: Json): Json =>
  Object.fromEntries(
    Object.entries(withoutEmpty(message)).filter(([name, value]) => name === 'starred' || value !== false),
  );

const chatOf = (chat: Json): Json => ({
  ...withoutEmpty(chat),
  ...(isObject(chat['lastMessage']) && { lastMessage: rowOf(chat['lastMessage']) }),
});

const groupOf = ({ members, community, ...group }: Json): Json => ({
  ...withoutEmpty(group),
  ...(Array.isArray(members) && { size: members.length }),
  ...(isObject(community) && { community: community['jid'] }),
});

/** The QR is an image of get_device: as text it takes thousands of tokens, and no model reads it. */
export const deviceOf = <D extends { readonly qr?: unknown }>({ qr, ...device }: D) => ({
  ...device,
  hasQr: typeof qr === 'string',
});

/** A new QR is replaced by a note, as get_device returns the current one. */
const eventWith =
  (form: (message: Json) => Json) =>
  (event: Json): Json => {
    const { type, data } = event;
    if (type === 'connection.auth') return { ...event, data: { note: 'a new QR; see get_device' } };
    return isObject(data) && isObject(data['message'])
      ? { ...event, data: { ...data, message: form(data['message']) } }
      : event;
  };

/** By the name of the member that holds the object, or a list of them. */
const forms: Readonly<Record<string, (thing: Json) => Json>> = {
  message: messageOf,
  messages: rowOf,
  chat: chatOf,
  chats: chatOf,
  contacts: withoutEmpty,
  device: deviceOf,
  event: eventWith(messageOf),
  events: eventWith(rowOf),
  group: groupOf,
  groups: groupOf,
};

const isPerson = (value: unknown): value is Person => isObject(value) && 'jid' in value && 'number' in value;

/** A person becomes their number, or their JID if the number is unknown. */
const named = (name: string, value: unknown): unknown => {
  if ((name === 'person' || name === 'voters') && isPerson(value)) return nameOf(value);
  if (Array.isArray(value)) return value.map((one) => named(name, one));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, named(member, inner)]));
};

export const briefOf = ({ status, ...answer }: Json): Json => {
  const entries = Object.entries(answer);
  if (entries.length === 0) return { status };
  return Object.fromEntries(
    entries.map(([name, value]) => {
      const form = (thing: unknown): unknown => (isObject(thing) ? (forms[name]?.(thing) ?? thing) : thing);
      const formed = Array.isArray(value) ? value.map(form) : form(value);
      return [name, named(name, name === 'usage' && Array.isArray(formed) ? formed.slice(-maxIntervals) : formed)];
    }),
  );
};
