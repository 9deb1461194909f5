/** `handset message show`, `receipts`, `votes` and `media`: one message, and what has become of it. */
import { type Arguments, type Command, deviceId, positional } from '../../command/command.ts';
import { download } from '../../command/download.ts';
import { fields, table } from '../../terminal/output.ts';
import { painted } from '../../terminal/paint.ts';
import { queryOf } from '../chats/chat-reads.ts';
import type { ShownMessage } from '../chats/message-words.ts';
import { nameOf, type Person } from '../../command/person.ts';

interface WholeMessage extends ShownMessage {
  readonly acceptedAt: string | null;
  readonly deliveredAt: string | null;
  readonly readAt: string | null;
  readonly failedAt: string | null;
  readonly editedAt: string | null;
  readonly quotedMessageId: string | null;
}

interface Receipt {
  readonly person: Person;
  readonly deliveredAt: string | null;
  readonly readAt: string | null;
  readonly playedAt: string | null;
}

interface Tally {
  readonly question: string;
  readonly voters: number;
  readonly options: readonly { readonly option: string; readonly votes: number; readonly voters: readonly Person[] }[];
}

const ofMessage = {
  positionals: ['device', 'messageId'],
  options: { chat: { type: 'string', help: 'the chat (JID), where several have a message of this id' } },
} as const;

const messagePath = (given: Arguments, part = ''): string =>
  `/devices/${deviceId(given)}/messages/${encodeURIComponent(positional(given, 1))}${part}${queryOf(given, ['chat'])}`;

export const messageShow: Command = {
  words: 'message show',
  summary: 'Show a message and what has become of it',
  ...ofMessage,
  async run({ client, out }, given) {
    const { message } = await client().call<{ message: WholeMessage }>('GET', messagePath(given));
    out.value(message);
    out.line(
      ...fields([
        ['Message', message.id],
        ['Chat', message.chatNumber ?? message.chat],
        ['From', message.fromNumber ?? message.from],
        ['Type', message.type],
        ['Text', message.text],
        ['Quotes', message.quotedMessageId],
        ['State', painted(message.state)],
        ['Written', message.timestamp],
        ['Accepted', message.acceptedAt],
        ['Delivered', message.deliveredAt],
        ['Read', message.readAt],
        ['Failed', message.failedAt],
        ['Edited', message.editedAt],
        ['Deleted', message.deletedAt],
      ]),
    );
  },
};

export const messageReceipts: Command = {
  words: 'message receipts',
  summary: 'List who has received, read and played a message that you sent',
  ...ofMessage,
  async run({ client, out }, given) {
    const path = messagePath(given, '/receipts');
    const { receipts } = await client().call<{ receipts: readonly Receipt[] }>('GET', path);
    out.value(receipts);
    const rows = receipts.map(({ person, deliveredAt, readAt, playedAt }) => [
      nameOf(person),
      deliveredAt ?? '',
      readAt ?? '',
      playedAt ?? '',
    ]);
    out.line(...(rows.length === 0 ? ['No receipts yet'] : table(['PERSON', 'DELIVERED', 'READ', 'PLAYED'], rows)));
  },
};

export const messageVotes: Command = {
  words: 'message votes',
  summary: 'Count the votes on a poll',
  ...ofMessage,
  async run({ client, out }, given) {
    const { poll } = await client().call<{ poll: Tally }>('GET', messagePath(given, '/poll'));
    out.value(poll);
    out.line(`${poll.question} (${poll.voters} have voted)`);
    const rows = poll.options.map(({ option, votes, voters }) => [
      option,
      String(votes),
      voters.map(nameOf).join(', '),
    ]);
    out.line(...table(['OPTION', 'VOTES', 'BY'], rows));
  },
};

export const messageMedia: Command = {
  words: 'message media',
  summary: 'Save the media of a message to a file',
  ...ofMessage,
  positionals: ['device', 'messageId', 'file'],
  run: (context, given) => download(context, messagePath(given, '/media'), positional(given, 2)),
};
