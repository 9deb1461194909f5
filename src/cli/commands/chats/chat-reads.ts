/** `handset chat list`, `chat show`, `contact list` and `contact show`. */
import {
  type Arguments,
  type Command,
  type Context,
  deviceId,
  flagOption,
  positional,
  textOption,
} from '../../command/command.ts';
import { fields, table } from '../../terminal/output.ts';
import { type ShownMessage, wordsOf } from './message-words.ts';

interface Chat {
  readonly chat: string;
  readonly chatNumber: string | null;
  readonly chatLid: string | null;
  readonly name: string | null;
  readonly unread: number;
  readonly lastMessage: ShownMessage | null;
  readonly archived: boolean;
  readonly pinned: boolean;
  readonly mutedUntil: string | null;
  readonly expiresInSeconds: number | null;
}

interface Contact {
  readonly jid: string;
  readonly number: string | null;
  readonly lid: string | null;
  readonly name: string | null;
  readonly pushName: string | null;
  readonly businessName: string | null;
  readonly about: string | null;
  readonly blocked: boolean;
}

const pageOptions = {
  limit: { type: 'string', help: 'at most this many, 1 to 1000; 100 by default' },
  q: { type: 'string', help: 'only those whose name or number contains this' },
  cursor: { type: 'string', help: 'continue after an earlier page' },
} as const;

/** Options of these names as a query. */
export const queryOf = (given: Arguments, names: readonly string[]): string => {
  const query = new URLSearchParams();
  for (const name of names) {
    const value = textOption(given, name);
    if (value !== undefined) query.set(name, value);
  }
  return query.size === 0 ? '' : `?${query.toString()}`;
};

/** Says how to see more. */
export const noteNext = ({ out }: Context, nextCursor: string | null): void => {
  if (nextCursor !== null) out.note(`More: --cursor ${nextCursor}`);
};

const marksOf = ({ archived, pinned, mutedUntil }: Chat): string =>
  [archived && 'archived', pinned && 'pinned', mutedUntil !== null && 'muted'].filter(Boolean).join(' ');

export const chatList: Command = {
  words: 'chat list',
  summary: 'List the chats of a device, newest activity first',
  positionals: ['device'],
  options: {
    ...pageOptions,
    unread: { type: 'boolean', help: 'only those with unread messages' },
    archived: { type: 'boolean', help: 'only those that are archived' },
  },
  async run(context, given) {
    const query = new URLSearchParams(queryOf(given, Object.keys(pageOptions)));
    for (const name of ['unread', 'archived']) if (flagOption(given, name)) query.set(name, 'true');
    const path = `/devices/${deviceId(given)}/chats?${query.toString()}`;
    const page = await context.client().call<{ chats: readonly Chat[]; nextCursor: string | null }>('GET', path);
    context.out.value(page);
    const rows = page.chats.map((chat) => [
      chat.chatNumber ?? chat.chat,
      String(chat.unread),
      marksOf(chat),
      chat.name ?? '',
      chat.lastMessage === null ? '' : wordsOf(chat.lastMessage),
    ]);
    if (rows.length === 0) context.out.line('No chats');
    else context.out.line(...table(['CHAT', 'UNREAD', 'MARKS', 'NAME', 'LAST MESSAGE'], rows));
    noteNext(context, page.nextCursor);
  },
};

export const chatShow: Command = {
  words: 'chat show',
  summary: 'Show a chat',
  positionals: ['device', 'chat'],
  async run({ client, out }, given) {
    const path = `/devices/${deviceId(given)}/chats/${encodeURIComponent(positional(given, 1))}`;
    const { chat } = await client().call<{ chat: Chat }>('GET', path);
    out.value(chat);
    out.line(
      ...fields([
        ['chat', chat.chat],
        ['LID', chat.chatLid],
        ['name', chat.name],
        ['unread', chat.unread],
        ['marks', marksOf(chat) || null],
        ['muted until', chat.mutedUntil],
        ['messages disappear after', chat.expiresInSeconds === null ? null : `${chat.expiresInSeconds} s`],
        ['last message', chat.lastMessage === null ? null : wordsOf(chat.lastMessage)],
      ]),
    );
  },
};

export const contactList: Command = {
  words: 'contact list',
  summary: 'List the people whom the account knows',
  positionals: ['device'],
  options: pageOptions,
  async run(context, given) {
    const path = `/devices/${deviceId(given)}/contacts${queryOf(given, Object.keys(pageOptions))}`;
    const page = await context.client().call<{ contacts: readonly Contact[]; nextCursor: string | null }>('GET', path);
    context.out.value(page);
    const rows = page.contacts.map((contact) => [
      contact.number ?? contact.jid,
      contact.blocked ? 'blocked' : '',
      contact.name ?? '',
      contact.businessName ?? contact.pushName ?? '',
    ]);
    if (rows.length === 0) context.out.line('No contacts');
    else context.out.line(...table(['PERSON', 'BLOCKED', 'NAME', 'OWN NAME'], rows));
    noteNext(context, page.nextCursor);
  },
};

export const contactShow: Command = {
  words: 'contact show',
  summary: 'Show what is known of a person',
  positionals: ['device', 'person'],
  async run({ client, out }, given) {
    const path = `/devices/${deviceId(given)}/contacts/${encodeURIComponent(positional(given, 1))}`;
    const { contact } = await client().call<{ contact: Contact }>('GET', path);
    out.value(contact);
    out.line(
      ...fields([
        ['JID', contact.jid],
        ['LID', contact.lid],
        ['name', contact.name],
        ['own name', contact.pushName],
        ['business', contact.businessName],
        ['about', contact.about],
        ['blocked', contact.blocked ? 'yes' : null],
      ]),
    );
  },
};
