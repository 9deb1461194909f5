/** `handset message list`, `show`, `receipts`, `votes` and `media`. */
import type { Command } from '../command/command.ts';
import { paint, painted, type Part } from '../terminal/paint.ts';
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

const lineOf = (message: ShownMessage): readonly Part[] => {
  const { id, direction, chat, chatNumber, from, fromNumber, timestamp } = message;
  const who = direction === 'in' ? (fromNumber ?? from) : `to ${chatNumber ?? chat}`;
  return [paint('faint', `${timestamp}  ${id}`), `  ${who}: ${wordsOf(message)}`];
};

const messageList = callCommand('listMessages', {
  values: ({ messages }: Answer<'listMessages'>) => messages,
  done: ({ messages: [first, ...others] }) =>
    first === undefined
      ? ['No messages']
      : [...lineOf(first), ...others.flatMap((message) => ['\n', ...lineOf(message)])],
});

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
