/** The event envelope and the data of each kind (docs/spec/events.md, Event kinds). */
import { Type, type TSchema } from 'typebox';
import { addressing, author, content, MediaSchema } from './messages/message.ts';
import { timestamp, oneOf, nullableText, nullableTimestamp } from '../build.ts';
import { OrderSchema, PersonSchema, PollSchema, PlannedEventSchema, updatesByPeople } from './messages/parts.ts';
import { type AnyKind, closedReasons, presenceStates, allKinds, type EventEnvelope } from '../../domain/event.ts';
import { channelEventData } from './channel.ts';
import { conversationEventData } from './chat.ts';
import { groupEventData } from './group.ts';
import { labelEventData, shownLabels } from './messages/label.ts';
import { statusEventData } from './status.ts';

const MessageDataSchema = Type.Object(
  {
    id: Type.String(),
    ...addressing,
    ...author,
    isGroup: Type.Boolean(),
    timestamp: timestamp('When it was written'),
    ...content,
  },
  { title: 'MessageData' },
);

const update = Type.Union([
  Type.Object({
    status: oneOf(['delivered', 'read', 'played', 'failed']),
    from: Type.Optional(Type.Object(PersonSchema.properties, { description: 'The person, in a group' })),
    error: Type.Optional(Type.String({ description: 'Why a message that was to be sent at a time has failed' })),
  }),
  Type.Object(
    { text: nullableText(), poll: Type.Optional(PollSchema), event: Type.Optional(PlannedEventSchema) },
    { description: 'An edit; of a poll or an event with what it is now' },
  ),
  Type.Object(
    { message: MessageDataSchema },
    { description: 'The content of a message that was announced without it' },
  ),
  Type.Object({ media: MediaSchema }, { description: 'The same image or video in HD: replaces the media' }),
  Type.Object({ labels: shownLabels }, { description: 'All labels that it has now, on this account' }),
  Type.Object({ order: OrderSchema }, { description: 'An order with its lines, which the network tells when asked' }),
  ...updatesByPeople,
]);

const account = { phoneNumber: Type.String(), jid: Type.String(), lid: nullableText(), name: nullableText() };

/** `data` by kind, and when the event occurs. */
export const eventData: Readonly<Record<AnyKind, { readonly when: string; readonly data: TSchema }>> = {
  'connection.open': { when: 'The session is open and authenticated', data: Type.Object(account) },
  'connection.closed': {
    when: 'An open session ended. With `temporarily_banned`, `until` says when the device comes back by itself',
    data: Type.Object({
      reason: oneOf(closedReasons),
      willReconnect: Type.Boolean(),
      until: Type.Optional(
        nullableTimestamp(
          'Only with `temporarily_banned`: when the ban ends and the device comes back by itself; null if the network did not say',
        ),
      ),
    }),
  },
  'connection.auth': {
    when: 'A QR or pairing code is ready (every refresh), or the network asks for a passkey',
    data: Type.Object({
      qr: nullableText({ description: 'PNG data URL' }),
      qrText: nullableText(),
      pairingCode: nullableText(),
      passkey: Type.Boolean({
        description: 'The network asks for a passkey: see `GET /devices/{id}/passkey`',
      }),
      expiresAt: timestamp('When it expires'),
    }),
  },
  'connection.timeout': { when: 'The pairing expired', data: Type.Object({}) },
  'connection.logout': {
    when: 'The link is gone',
    data: Type.Object({ reason: oneOf(['requested', 'removed_by_phone', 'banned']) }),
  },
  'message.received': { when: 'A message from someone else', data: Type.Object({ message: MessageDataSchema }) },
  'message.sent': {
    when: 'A message of this account was accepted, by API or written on the phone',
    data: Type.Object({ message: MessageDataSchema, source: oneOf(['api', 'phone']) }),
  },
  'message.updated': {
    when: 'A receipt, an edit, a reaction, a vote, an answer to an event, a pin, a new timer or other labels; or the content of a message that was told without it, or its media in HD',
    data: Type.Object({ messageId: Type.String(), ...addressing, update }),
  },
  'message.deleted': {
    when: 'A message was revoked',
    data: Type.Object({ messageId: Type.String(), ...addressing, by: PersonSchema }),
  },
  call: {
    when: 'An incoming call changed',
    data: Type.Object({
      callId: Type.String(),
      from: Type.String(),
      fromNumber: nullableText(),
      fromLid: nullableText(),
      fromUsername: nullableText(),
      isVideo: Type.Boolean(),
      isGroup: Type.Boolean(),
      status: oneOf(['offer', 'accept', 'reject', 'timeout', 'terminate']),
    }),
  },
  'chat.presence': {
    when: 'Somebody in a followed chat came online, went, or is writing or recording',
    data: Type.Object({
      chat: Type.String(),
      person: PersonSchema,
      state: oneOf(presenceStates, {
        description: '`text`: writing; `voice`: recording; `none`: stopped',
      }),
      lastSeenAt: nullableTimestamp('With `offline`, where the person shows it'),
    }),
  },
  'account.limited': {
    when: 'The network restricted the account, or changed or lifted its restriction',
    data: Type.Object({
      until: nullableTimestamp('When the restriction ends; null if the network did not say, or there is none any more'),
      reason: nullableText({
        description: 'What is restricted and what to do about it; null: nothing is restricted any more',
      }),
    }),
  },
  'chat.settled': {
    when: 'A person has stopped writing for the `settleSeconds` of a webhook that wants this kind',
    data: Type.Object({
      ...addressing,
      settleSeconds: Type.Integer(),
      messages: Type.Array(MessageDataSchema, {
        description:
          'All messages of the chat since the last answer, at most 100, in the order in which they were written',
      }),
    }),
  },
  ...conversationEventData,
  ...labelEventData,
  ...groupEventData,
  ...statusEventData,
  ...channelEventData,
  'device.created': {
    when: 'A device was created',
    data: Type.Object({ name: Type.String() }),
  },
  'device.deleted': {
    when: 'A device was deleted, with all that belonged to it',
    data: Type.Object({ name: Type.String({ description: 'The name that it had' }) }),
  },
  'history.loaded': {
    when: 'Older messages have come from the phone, or it did not answer in time',
    data: Type.Object({
      chat: nullableText({ description: 'Null: the history of all chats, after a pairing' }),
      count: Type.Integer({ description: 'How many messages were added to the log' }),
      more: Type.Unsafe<boolean | null>({
        type: ['boolean', 'null'],
        description: 'Whether the phone has older messages; null if it has not reported it',
      }),
    }),
  },
};

const titleOf = (type: string): string =>
  `${type.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;

const envelope = (type: string, data: TSchema) =>
  Type.Object(
    {
      id: Type.String({
        description: 'The same on every retry and replay; sorts in the order of the device’s events',
        examples: ['evt_000000010d1st1y401'],
      }),
      type: oneOf([type]),
      timestamp: timestamp('When it happened'),
      deviceId: Type.Integer({ examples: [1] }),
      data,
    },
    { title: titleOf(type) },
  );

export const eventSchemas: Readonly<Record<AnyKind, TSchema>> = {
  'connection.open': envelope('connection.open', eventData['connection.open'].data),
  'connection.closed': envelope('connection.closed', eventData['connection.closed'].data),
  'connection.auth': envelope('connection.auth', eventData['connection.auth'].data),
  'connection.timeout': envelope('connection.timeout', eventData['connection.timeout'].data),
  'connection.logout': envelope('connection.logout', eventData['connection.logout'].data),
  'message.received': envelope('message.received', eventData['message.received'].data),
  'message.sent': envelope('message.sent', eventData['message.sent'].data),
  'message.updated': envelope('message.updated', eventData['message.updated'].data),
  'message.deleted': envelope('message.deleted', eventData['message.deleted'].data),
  call: envelope('call', eventData.call.data),
  'chat.presence': envelope('chat.presence', eventData['chat.presence'].data),
  'chat.settled': envelope('chat.settled', eventData['chat.settled'].data),
  'chat.updated': envelope('chat.updated', eventData['chat.updated'].data),
  'chat.cleared': envelope('chat.cleared', eventData['chat.cleared'].data),
  'chat.deleted': envelope('chat.deleted', eventData['chat.deleted'].data),
  'contact.updated': envelope('contact.updated', eventData['contact.updated'].data),
  'label.updated': envelope('label.updated', eventData['label.updated'].data),
  'history.loaded': envelope('history.loaded', eventData['history.loaded'].data),
  'account.limited': envelope('account.limited', eventData['account.limited'].data),
  'group.updated': envelope('group.updated', eventData['group.updated'].data),
  'group.joined': envelope('group.joined', eventData['group.joined'].data),
  'group.left': envelope('group.left', eventData['group.left'].data),
  'status.received': envelope('status.received', eventData['status.received'].data),
  'status.deleted': envelope('status.deleted', eventData['status.deleted'].data),
  'status.viewed': envelope('status.viewed', eventData['status.viewed'].data),
  'channel.message': envelope('channel.message', eventData['channel.message'].data),
  'channel.message.updated': envelope('channel.message.updated', eventData['channel.message.updated'].data),
  'channel.updated': envelope('channel.updated', eventData['channel.updated'].data),
  'device.created': envelope('device.created', eventData['device.created'].data),
  'device.deleted': envelope('device.deleted', eventData['device.deleted'].data),
};

export const kindsParameter = Type.String({
  minLength: 1,
  maxLength: 600,
  description: `Only events of these kinds, separated by commas: ${allKinds.join(', ')}`,
  examples: ['message.received,chat.presence'],
  errorMessage: 'must be kinds of events, separated by commas',
});

/** A webhook test is not in the event log. */
export const TestEventSchema = envelope('test', Type.Object({}));

/** The type of `data` depends on `type`. */
export const EventSchema = Type.Unsafe<EventEnvelope>({
  title: 'Event',
  anyOf: allKinds.map((kind) => eventSchemas[kind]),
});
