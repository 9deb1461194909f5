/** The event envelope and the data of each kind (docs/spec/events.md, Event kinds). */
import { type TSchema, Type } from 'typebox';
import { allKinds, type AnyKind, closedReasons, type EventEnvelope, presenceStates } from '../../domain/event.ts';
import { invalidRequest } from '../../errors.ts';
import { conversationEventData } from './chat.ts';
import { groupEventData } from './group-events.ts';
import { nullableText, nullableTimestamp, oneOf, timestamp } from '../wire/build.ts';
import { addressing, author, content, MediaSchema } from './messages/message.ts';
import { PersonSchema, PlannedEventSchema, PollSchema, updatesByPeople } from './messages/parts.ts';

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
  ...updatesByPeople,
]);

const account = { phoneNumber: Type.String(), jid: Type.String(), lid: nullableText(), name: nullableText() };

/** `data` by kind, with the moment of the event. */
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
      expiresAt: timestamp('When it stops to work'),
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
    when: 'A receipt, an edit, a reaction, a vote, an answer to an event, a pin or a new timer; or the content of a message that was told without it, or its media in HD',
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
        description: '`text` and `voice`: is writing, is recording; `none`: neither any more',
      }),
      lastSeenAt: nullableTimestamp('With `offline`, where the person shows it'),
    }),
  },
  'account.limited': {
    when: 'The network restricted the account, or changed or lifted its restriction',
    data: Type.Object({
      until: nullableTimestamp('When the restriction ends; null if the network did not say, or there is none any more'),
      reason: nullableText({ description: 'What is restricted and what to do about it; null: nothing is any more' }),
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
  ...groupEventData,
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
        description: 'Whether the phone has older ones; null if it has not said so',
      }),
    }),
  },
};

/** `message.received` becomes `MessageReceivedEvent`. */
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
  'contact.updated': envelope('contact.updated', eventData['contact.updated'].data),
  'history.loaded': envelope('history.loaded', eventData['history.loaded'].data),
  'account.limited': envelope('account.limited', eventData['account.limited'].data),
  'group.updated': envelope('group.updated', eventData['group.updated'].data),
  'group.joined': envelope('group.joined', eventData['group.joined'].data),
  'group.left': envelope('group.left', eventData['group.left'].data),
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

/** Throws InvalidRequest for an unknown kind. */
export const kindsOf = (types: string | undefined): readonly AnyKind[] | undefined =>
  types?.split(',').map((name) => {
    const kind = allKinds.find((each) => each === name);
    if (kind === undefined)
      throw invalidRequest(`types must be kinds of events, separated by commas: ${allKinds.join(', ')}`);
    return kind;
  });

/** A webhook test is not in the event log. */
export const TestEventSchema = envelope('test', Type.Object({}));

/** The type of `data` depends on `type`. */
export const EventSchema = Type.Unsafe<EventEnvelope>({
  title: 'Event',
  anyOf: allKinds.map((kind) => eventSchemas[kind]),
});
