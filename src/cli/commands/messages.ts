/** `handset message list`, `show`, `receipts`, `votes` and `media`. */
import { type Command, deviceId, noteNext, queryOf } from '../command/command.ts';
import { paint, painted } from '../terminal/paint.ts';
import { callCommand, listed } from '../command/generic.ts';
import { fields, table } from '../terminal/output.ts';
import { nameOf } from '../../mcp/people.ts';
import type { Answer, Things } from '../../mcp/client.ts';

export type ShownMessage = Things['Message'];

const maxLength = 60;

export const wordsOf = ({ type, text, deletedAt }: ShownMessage): string => {
  if (deletedAt !== null) return '(deleted)';
  const line = (text ?? '').replaceAll(/\s+/g, ' ');
  const short = line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
  return type === 'text' ? short : `(${type}) ${short}`.trimEnd();
};

const options = {
  q: { type: 'string', help: 'only those that contain these words' },
  chat: { type: 'string', help: 'only those of this chat (number or JID)' },
  type: { type: 'string', help: 'only this type: text, image, document, …' },
  from: { type: 'string', help: 'only those of this sender (number or JID)' },
  since: { type: 'string', help: 'from this time on (RFC 3339)' },
  until: { type: 'string', help: 'up to this time (RFC 3339)' },
  label: { type: 'string', help: 'only those with the label of this id' },
  limit: { type: 'string', help: 'maximum number of messages, 1 to 1000 (default: 100)' },
  cursor: { type: 'string', help: 'nextCursor of the previous page' },
} as const;

type Page = Answer<'listMessages'>;

const messageList: Command = {
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

type Receipt = Things['Receipt'];

type Tally = Things['Tally'];

const messageShow = callCommand('getMessage', {
  value: ({ message }: { readonly message: ShownMessage }) => message,
  done: ({ message }) =>
    fields([
      ['Message', message.id],
      ['Chat', message.chatNumber ?? message.chat],
      ['From', message.fromNumber ?? message.from],
      ['Username', message.fromUsername && `@${message.fromUsername}`],
      ['Type', message.type],
      ['Text', message.text],
      ['Quotes', message.quotedMessageId],
      ['Labels', message.labels.join(', ') || null],
      ['State', painted(message.state)],
      ['Written', message.timestamp],
      ['Accepted', message.acceptedAt],
      ['Delivered', message.deliveredAt],
      ['Read', message.readAt],
      ['Failed', message.failedAt],
      ['Edited', message.editedAt],
      ['Deleted', message.deletedAt],
    ]),
});

const messageReceipts = callCommand('getMessageReceipts', {
  value: ({ receipts }: { readonly receipts: readonly Receipt[] }) => receipts,
  done: ({ receipts }) =>
    listed(receipts, 'No receipts yet', {
      PERSON: ({ person }) => nameOf(person),
      DELIVERED: ({ deliveredAt }) => deliveredAt,
      READ: ({ readAt }) => readAt,
      PLAYED: ({ playedAt }) => playedAt,
    }),
});

const messageVotes = callCommand('getMessagePoll', {
  value: ({ poll }: { readonly poll: Tally }) => poll,
  done: ({ poll }) => [
    `${poll.question} (${poll.voters} have voted)\n`,
    ...table(
      ['OPTION', 'VOTES', 'BY'],
      poll.options.map(({ option, votes, voters }) => [option, String(votes), voters.map(nameOf).join(', ')]),
    ),
  ],
});

export const messageCommands: readonly Command[] = [
  messageList,
  messageShow,
  messageReceipts,
  messageVotes,
  callCommand('getMessageMedia'),
];
