/** The event envelope and the data of each kind (decisions.md, Events and webhooks). */
import { type TSchema, Type } from 'typebox';
import { type EventKind, eventKinds } from '../../domain/event.ts';
import { nullableText, oneOf, timestamp } from './build.ts';
import { addressing, author, content } from './message.ts';

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

const PersonSchema = Type.Object(
  { jid: Type.String(), number: nullableText(), lid: nullableText() },
  { title: 'Person' },
);

const update = Type.Union([
  Type.Object({ status: oneOf(['delivered', 'read', 'played', 'failed']) }),
  Type.Object({ text: nullableText() }),
  Type.Object({ reaction: nullableText({ description: 'The emoji; null: taken back' }), from: PersonSchema }),
]);

const account = { phoneNumber: Type.String(), jid: Type.String(), lid: nullableText(), name: nullableText() };

/** `data` by kind, with the moment at which the event is made. */
export const eventData: Readonly<Record<EventKind, { readonly when: string; readonly data: TSchema }>> = {
  'connection.open': { when: 'The session is open and authenticated', data: Type.Object(account) },
  'connection.closed': {
    when: 'An open session ended',
    data: Type.Object({
      reason: oneOf(['lost', 'replaced', 'restart', 'inactive', 'shutdown', 'requested']),
      willReconnect: Type.Boolean(),
    }),
  },
  'connection.auth': {
    when: 'A QR or pairing code is ready (every refresh)',
    data: Type.Object({
      qr: nullableText({ description: 'PNG data URL' }),
      qrText: nullableText(),
      pairingCode: nullableText(),
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
    when: 'A receipt, an edit or a reaction',
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
};

/** The one envelope of all events; `data` depends on `type`. */
export const EventSchema = Type.Object(
  {
    id: Type.String({ description: 'The same on every retry and replay; sorts in the order of the device’s events' }),
    type: oneOf(eventKinds, { title: 'EventKind' }),
    timestamp: timestamp('When it happened'),
    deviceId: Type.Integer(),
    data: Type.Unknown({ description: 'By `type`: see the webhooks of this document' }),
  },
  { title: 'Event' },
);
