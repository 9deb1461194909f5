/** `handset message list`, `show`, `receipts`, `votes` and `media`. */
import { type Command, deviceId, noteNext, queryOf, type Arguments, positional } from '../command/command.ts';
import { paint, painted } from '../terminal/paint.ts';
import { download } from '../command/download.ts';
import { fields, table } from '../terminal/output.ts';
import { nameOf, type Person } from '../command/people.ts';

export interface ShownMessage {
  readonly id: string;
  readonly direction: 'in' | 'out';
  readonly chat: string;
  readonly chatNumber: string | null;
  readonly from: string;
  readonly fromNumber: string | null;
  readonly type: string;
  readonly text: string | null;
  readonly state: string;
  readonly timestamp: string;
  readonly deletedAt: string | null;
}

const maxLength = 60;

export const wordsOf = ({ type, text, deletedAt }: ShownMessage): string => {
  if (deletedAt !== null) return '(deleted)';
  const line = (text ?? '').replaceAll(/\s+/g, ' ');
  const short = line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
  return type === 'text' ? short : `(${type}) ${short}`.trimEnd();
};

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

const messageShow: Command = {
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

const messageReceipts: Command = {
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

const messageVotes: Command = {
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

const messageMedia: Command = {
  words: 'message media',
  summary: 'Save the media of a message to a file',
  ...ofMessage,
  positionals: ['device', 'messageId', 'file'],
  run: (context, given) => download(context, messagePath(given, '/media'), positional(given, 2)),
};

export const messageCommands: readonly Command[] = [
  messageList,
  messageShow,
  messageReceipts,
  messageVotes,
  messageMedia,
];
