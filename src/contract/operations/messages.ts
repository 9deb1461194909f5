/** The message log, receipts, votes and media (docs/spec/messages.md, Message log, Search, Receipts and votes, Media). */
import { Type } from 'typebox';
import { oneOf, timestampMember, nullableTimestamp, members, answer, visibleText } from '../build.ts';
import { messageTypes } from '../../domain/messages/parts.ts';
import { labelFilter } from '../schemas/messages/label.ts';
import { pageParameters, nextCursor } from '../schemas/page.ts';
import { chatParameter } from '../schemas/chat.ts';
import { ofChat } from '../schemas/message-change.ts';
import { MessageSchema } from '../schemas/messages/message.ts';
import { declare, reads } from '../operation.ts';
import { PersonSchema } from '../schemas/messages/parts.ts';

export const filters = {
  q: Type.Optional(
    visibleText(200, {
      description:
        'Words or parts of words that must all be in the message, without regard to case and accents. A page may have fewer items than `limit` though more follow',
      errorMessage: 'must be 1 to 200 characters, at least one of them visible',
    }),
  ),
  type: Type.Optional(oneOf(messageTypes, { errorMessage: `must be one of ${messageTypes.join(', ')}` })),
  from: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The sender: a JID of either address, or the digits of a phone number',
      errorMessage: 'must be a JID or the digits of a phone number',
    }),
  ),
  since: Type.Optional(timestampMember('Messages from this time on')),
  until: Type.Optional(timestampMember('Messages up to this time')),
  label: Type.Optional(labelFilter),
};

const searchedSince = nullableTimestamp(
  'A search has looked at all messages from this time on, and at none before; null: at all, or nothing was searched for. Where `nextCursor` is null, go on with this as `until`',
);

export const listMessages = declare({
  id: 'listMessages',
  path: '/devices/{id}/messages',
  command: 'message list <device>',
  client: 'messages.list',
  tool: {
    name: 'list_messages',
    description:
      'Messages that a device sent and received, newest first, with how far each one got. A search may give an empty page with a nextCursor: go on with it. searchedSince is how far it has looked; without a nextCursor, go on with it as until if earlier messages matter',
  },
  ...reads('0.1.0'),
  tag: 'Messages',
  summary: 'List or search messages, newest first',
  description: 'Sent and received messages. The filters combine; `q` searches texts and captions.',
  query: members({ ...pageParameters, chat: Type.Optional(chatParameter), ...filters }),
  answer: answer({ messages: Type.Array(MessageSchema), nextCursor, searchedSince }),
});

export const getMessage = declare({
  id: 'getMessage',
  path: '/devices/{id}/messages/{messageId}',
  command: 'message show <device> <messageId>',
  client: 'messages.get',
  tool: {
    name: 'get_message',
    description:
      'One message with everything in it, its state (pending, accepted, delivered, read, failed) and the time of each step',
    takes: [],
  },
  ...reads('0.1.0'),
  tag: 'Messages',
  summary: 'Retrieve a message and its delivery state',
  description:
    'The sender chooses the id. If two chats have a message with this id, the older one is returned; `chat` selects the other.',
  query: ofChat,
  answer: answer({ message: MessageSchema }),
});

const ReceiptSchema = Type.Object(
  {
    person: PersonSchema,
    deliveredAt: nullableTimestamp('When it reached the person'),
    readAt: nullableTimestamp('When the person read it'),
    playedAt: nullableTimestamp('When the person played the voice message'),
  },
  { title: 'Receipt' },
);

export const getReceipts = declare({
  id: 'getMessageReceipts',
  path: '/devices/{id}/messages/{messageId}/receipts',
  command: 'message receipts <device> <messageId>',
  client: 'messages.receipts',
  tool: {
    name: 'list_receipts',
    description: 'Who has received, read and played a message',
    takes: [],
  },
  ...reads('0.3.0'),
  tag: 'Messages',
  summary: 'List who received, read and played a sent message',
  description: 'In a group, everyone who has sent a receipt; of a received message, nobody.',
  query: ofChat,
  answer: answer({ receipts: Type.Array(ReceiptSchema) }),
});

const TallySchema = Type.Object(
  {
    question: Type.String(),
    options: Type.Array(
      Type.Object({ option: Type.String(), votes: Type.Integer(), voters: Type.Array(PersonSchema) }),
    ),
    maxAnswers: Type.Integer(),
    voters: Type.Integer({ description: 'How many people have voted' }),
  },
  { title: 'Tally' },
);

export const getPoll = declare({
  id: 'getMessagePoll',
  path: '/devices/{id}/messages/{messageId}/poll',
  command: 'message votes <device> <messageId>',
  client: 'messages.poll',
  tool: {
    name: 'get_poll',
    description: 'The options of a poll with who voted for each',
    takes: [],
  },
  ...reads('0.3.0'),
  tag: 'Messages',
  summary: 'Retrieve the votes on a poll',
  description: 'The newest vote of each person. A message that is not a poll is a 404.',
  query: ofChat,
  answer: answer({ poll: TallySchema }),
  errors: ['pollNotFound'],
});

export const getMessageMedia = declare({
  id: 'getMessageMedia',
  path: '/devices/{id}/messages/{messageId}/media',
  command: 'message media <device> <messageId> <file>',
  client: 'messages.media',
  ...reads('0.1.0'),
  tag: 'Messages',
  summary: 'Download the media of a message, decrypted',
  description:
    'If two chats have a message with this id, the older one is used; `chat` selects the other. If the network no longer has the file, ' +
    'the phone is asked to upload it again, for up to 15 s; without its answer this is 404, and a later request gets the file. ' +
    'Of media that is kept (see the settings of the device) a part can be read with `Range`; `Accept-Ranges: bytes` in the answer means that it is.',
  query: ofChat,
  headers: {
    Range: {
      description: 'One range of bytes; of media that is not kept, the answer is the whole file',
      schema: Type.String(),
    },
  },
  otherContent: [{ type: '*/*', description: 'The file, with the media type given by its sender' }],
  ranges: true,
  connected: true,
  errors: ['mediaNotFound', 'mediaFetchFailed'],
});
