/** `handset chat …` and `call reject`. */
import {
  type Command,
  deviceId,
  flagOption,
  positional,
  noteNext,
  searchOptions,
  queryOf,
  switchOption,
  textOption,
} from '../command/command.ts';
import { fields, table } from '../terminal/output.ts';
import { type ShownMessage, wordsOf } from './messages.ts';
import { usageError } from '../client/failure.ts';

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

const marksOf = ({ archived, pinned, mutedUntil }: Chat): string =>
  [archived && 'archived', pinned && 'pinned', mutedUntil !== null && 'muted'].filter(Boolean).join(' ');

const chatList: Command = {
  words: 'chat list',
  summary: 'List the chats of a device, newest activity first',
  positionals: ['device'],
  options: {
    ...searchOptions,
    unread: { type: 'boolean', help: 'only those with unread messages' },
    archived: { type: 'boolean', help: 'only those that are archived' },
  },
  async run(context, given) {
    const query = new URLSearchParams(queryOf(given, Object.keys(searchOptions)));
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

const chatShow: Command = {
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

const timerOf = (text: string | undefined): number | undefined => {
  const days = { off: 0, '1d': 1, '7d': 7, '90d': 90 } as const;
  if (text === undefined) return undefined;
  const found = Object.entries(days).find(([name]) => name === text);
  if (found === undefined) throw usageError('--timer is off, 1d, 7d or 90d');
  return found[1] * 86_400;
};

const chatSet: Command = {
  words: 'chat set',
  summary: 'Archive, pin, mute or mark a chat, or set its timer',
  positionals: ['device', 'chat'],
  options: {
    archived: { type: 'string', help: 'on or off' },
    pinned: { type: 'string', help: 'on or off' },
    unread: { type: 'string', help: 'on or off; off marks it as read without telling the writers' },
    muted: { type: 'string', help: 'a time in RFC 3339, always, or off' },
    timer: { type: 'string', help: 'of disappearing messages: 1d, 7d, 90d, or off' },
  },
  async run({ client, out }, given) {
    const muted = textOption(given, 'muted');
    const body = {
      archived: switchOption(given, 'archived'),
      pinned: switchOption(given, 'pinned'),
      unread: switchOption(given, 'unread'),
      mutedUntil: muted === 'off' ? null : muted,
      expiresInSeconds: timerOf(textOption(given, 'timer')),
    };
    const path = `/devices/${deviceId(given)}/chats/${encodeURIComponent(positional(given, 1))}`;
    out.value(await client().call('PUT', path, body));
    out.line('Chat updated');
  },
};

const chatPath = (device: number, chat: string): string => `/devices/${device}/chats/${encodeURIComponent(chat)}`;

const chatTyping: Command = {
  words: 'chat typing',
  summary: 'Show in a chat that the account is writing (text), recording (voice) or neither (none)',
  positionals: ['device', 'chat', 'state'],
  options: { seconds: { type: 'string', help: 'for how long, 1 to 25; a send ends it' } },
  async run({ client, out }, given) {
    const seconds = textOption(given, 'seconds');
    if (seconds !== undefined && !/^\d+$/.test(seconds)) throw usageError('--seconds is a number');
    const body = { state: positional(given, 2), ...(seconds !== undefined && { seconds: Number(seconds) }) };
    const path = `${chatPath(deviceId(given), positional(given, 1))}/typing`;
    out.value(await client().call('PUT', path, body));
    out.line('Typing set');
  },
};

const chatRead: Command = {
  words: 'chat read',
  summary: 'Mark the messages of a chat as read, all or one',
  positionals: ['device', 'chat', 'messageId?'],
  async run({ client, out }, given) {
    const messageId = given.positionals[2];
    const body = messageId === undefined ? {} : { messageIds: [messageId] };
    const path = `${chatPath(deviceId(given), positional(given, 1))}/read`;
    const answer = await client().call<{ messageIds: readonly string[] }>('POST', path, body);
    out.value(answer);
    out.line(`Marked as read: ${answer.messageIds.length}`);
  },
};

const chatHistory: Command = {
  words: 'chat history',
  summary: 'Ask the phone for older messages of a chat, 1 to 500',
  positionals: ['device', 'chat', 'count'],
  async run({ client, out }, given) {
    const count = Number(positional(given, 2));
    if (!Number.isInteger(count)) throw usageError('the count is a number');
    const path = `${chatPath(deviceId(given), positional(given, 1))}/history`;
    out.value(await client().call('POST', path, { count }));
    out.line('Older messages were asked for; the event history.loaded says how many came');
  },
};

const callReject: Command = {
  words: 'call reject',
  summary: 'Reject a call that is ringing',
  positionals: ['device', 'callId'],
  async run({ client, out }, given) {
    const path = `/devices/${deviceId(given)}/calls/${encodeURIComponent(positional(given, 1))}/reject`;
    out.value(await client().call('POST', path));
    out.line('Call rejected');
  },
};

export const chatCommands: readonly Command[] = [
  chatList,
  chatShow,
  chatTyping,
  chatRead,
  chatSet,
  chatHistory,
  callReject,
];
