/** `handset chat typing`, `chat read`, `chat history` and `call reject`. */
import { type Command, deviceId, positional, textOption } from '../../command/command.ts';
import { usageError } from '../../client/failure.ts';

const chatPath = (device: number, chat: string): string => `/devices/${device}/chats/${encodeURIComponent(chat)}`;

export const chatTyping: Command = {
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

export const chatRead: Command = {
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

export const chatHistory: Command = {
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

export const callReject: Command = {
  words: 'call reject',
  summary: 'Reject a call that is ringing',
  positionals: ['device', 'callId'],
  async run({ client, out }, given) {
    const path = `/devices/${deviceId(given)}/calls/${encodeURIComponent(positional(given, 1))}/reject`;
    out.value(await client().call('POST', path));
    out.line('Call rejected');
  },
};
