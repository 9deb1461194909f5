/** `handset message list`: the message log of a device, or a search in it. */
import { type Command, deviceId } from '../../command.ts';
import { noteNext, queryOf } from '../chats/chat-reads.ts';
import { type ShownMessage, wordsOf } from '../chats/message-words.ts';
import { paint } from '../../terminal/paint.ts';

const options = {
  q: { type: 'string' },
  chat: { type: 'string' },
  type: { type: 'string' },
  from: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  limit: { type: 'string' },
  cursor: { type: 'string' },
} as const;

export const messageList: Command = {
  words: 'message list',
  summary: 'List or search the messages of a device, newest first',
  positionals: ['device'],
  options,
  optionHelp: {
    q: 'only those that contain these words',
    chat: 'only those of this chat (JID)',
    type: 'only this type: text, image, document, …',
    from: 'only those of this sender (number or JID)',
    since: 'from this time on (RFC 3339)',
    until: 'up to this time (RFC 3339)',
    limit: 'at most so many, 1 to 1000; 100 otherwise',
    cursor: 'go on after an earlier page',
  },
  async run(context, given) {
    const path = `/devices/${deviceId(given)}/messages${queryOf(given, Object.keys(options))}`;
    const { client, out } = context;
    const page = await client().call<{ messages: readonly ShownMessage[]; nextCursor: string | null }>('GET', path);
    for (const message of page.messages) {
      const { id, direction, chat, chatNumber, from, fromNumber, timestamp } = message;
      const who = direction === 'in' ? (fromNumber ?? from) : `to ${chatNumber ?? chat}`;
      out.value(message);
      out.line(paint('faint', `${timestamp}  ${id}`), `  ${who}: ${wordsOf(message)}`);
    }
    if (page.messages.length === 0) out.line('No messages');
    noteNext(context, page.nextCursor);
  },
};
