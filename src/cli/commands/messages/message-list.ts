/** `handset message list`: the message log of a device, or a search in it. */
import { type Command, deviceId } from '../../command/command.ts';
import { noteNext, queryOf } from '../chats/chat-reads.ts';
import { type ShownMessage, wordsOf } from '../chats/message-words.ts';
import { paint } from '../../terminal/paint.ts';

const options = {
  q: { type: 'string', help: 'only those that contain these words' },
  chat: { type: 'string', help: 'only those of this chat (JID)' },
  type: { type: 'string', help: 'only this type: text, image, document, …' },
  from: { type: 'string', help: 'only those of this sender (number or JID)' },
  since: { type: 'string', help: 'from this time on (RFC 3339)' },
  until: { type: 'string', help: 'up to this time (RFC 3339)' },
  limit: { type: 'string', help: 'at most this many, 1 to 1000; 100 by default' },
  cursor: { type: 'string', help: 'continue after an earlier page' },
} as const;

interface Page {
  readonly messages: readonly ShownMessage[];
  readonly nextCursor: string | null;
  readonly searchedSince: string | null;
}

export const messageList: Command = {
  words: 'message list',
  summary: 'List or search the messages of a device, newest first',
  positionals: ['device'],
  options,
  async run(context, given) {
    const path = `/devices/${deviceId(given)}/messages${queryOf(given, Object.keys(options))}`;
    const { client, out } = context;
    const page = await client().call<Page>('GET', path);
    for (const message of page.messages) {
      const { id, direction, chat, chatNumber, from, fromNumber, timestamp } = message;
      const who = direction === 'in' ? (fromNumber ?? from) : `to ${chatNumber ?? chat}`;
      out.value(message);
      out.line(paint('faint', `${timestamp}  ${id}`), `  ${who}: ${wordsOf(message)}`);
    }
    if (page.messages.length === 0) out.line('No messages');
    noteNext(context, page.nextCursor);
    if (page.nextCursor === null && page.searchedSince !== null)
      out.note(`Earlier messages were not searched. Go on with --until ${page.searchedSince}`);
  },
};
