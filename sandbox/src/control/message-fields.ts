/** Fields of a request to write a message (docs/sandbox.md, Messages). */
import { callOutcomes, systemKinds } from '../phones/kinds/lines.ts';
import { selectionKinds } from '../phones/kinds/selection.ts';
import type { EventPlan, Place } from '../phones/kinds/types.ts';
import { badRequest } from '../base/errors.ts';
import {
  base64,
  decimal,
  type Field,
  flag,
  list,
  oneOf,
  optional,
  phoneNumber,
  type Read,
  readFields,
  text,
  whole,
  isObject,
} from '../base/fields.ts';

const group =
  <F extends Parameters<typeof readFields>[1]>(fields: F): Field<Read<F>> =>
  (value, name) =>
    readFields(value, fields, name);

const time: Field<string> = (value, name) => {
  const date = typeof value === 'string' ? new Date(value) : null;
  if (date === null || Number.isNaN(date.getTime())) throw badRequest(`${name} must be a time in ISO 8601`);
  return date.toISOString();
};

export const position = {
  latitude: decimal(-90, 90),
  longitude: decimal(-180, 180),
  accuracyMeters: optional(whole(0, 100_000)),
};

const place = group({
  ...position,
  name: optional(text(200)),
  address: optional(text(500)),
  live: optional(flag),
});

const eventPlace: Field<Place> = (value, name) => {
  const given = typeof value === 'string' ? { name: value } : value;
  const coordinates = { latitude: optional(decimal(-90, 90)), longitude: optional(decimal(-180, 180)) };
  const said = readFields(given, { ...coordinates, name: optional(text(200)), address: optional(text(500)) }, name);
  return { ...said, live: false, accuracyMeters: null };
};

const card = group({
  name: text(200),
  numbers: list(phoneNumber, 1, 20),
  organization: optional(text(200)),
  vcard: optional(text()),
});

const plan = group({
  name: text(100),
  description: optional(text(2_048)),
  startsAt: optional(time),
  endsAt: optional(time),
  place: optional(eventPlace),
  canceled: optional(flag),
});

const poll = group({
  question: text(255),
  options: list(text(100), 2, 12),
  maxAnswers: optional(whole(1, 12)),
});

const groupInvite = group({
  group: text(100),
  subject: optional(text(100)),
  code: optional(text(100)),
  expiresAt: optional(time),
});

const selection = group({ id: text(255), text: text(), from: optional(oneOf(...selectionKinds)) });

const currency: Field<string> = (value, name) => {
  if (typeof value !== 'string' || !/^[A-Z]{3}$/.test(value))
    throw badRequest(`${name} must be a code of ISO 4217: EUR`);
  return value;
};

const product = group({
  id: text(100),
  title: text(200),
  description: optional(text(2_048)),
  price: optional(decimal(0, 1_000_000_000)),
  currency: optional(currency),
  url: optional(text(2_048)),
  business: optional(text(100)),
  imageBase64: optional(base64),
});

const order = group({
  id: text(100),
  title: optional(text(200)),
  items: whole(1, 10_000),
  lines: optional(
    list(
      group({ id: text(100), name: text(200), quantity: whole(1, 10_000), price: decimal(0, 1_000_000_000) }),
      1,
      100,
    ),
  ),
  total: optional(decimal(0, 1_000_000_000)),
  currency: optional(currency),
  seller: optional(text(100)),
});

const payment = group({ amount: decimal(0, 1_000_000_000), currency });

const callLog = group({
  outcome: oneOf(...callOutcomes),
  video: optional(flag),
  seconds: optional(whole(0, 1_000_000)),
});

const albumItem = group({ imageBase64: optional(base64), videoBase64: optional(base64), caption: optional(text()) });

export const event: Field<EventPlan> = (value, name) => {
  const said = plan(value, name);
  return { ...said, canceled: said.canceled ?? false };
};

export const contentFields = {
  text: optional(text()),
  imageBase64: optional(base64),
  videoBase64: optional(base64),
  audioBase64: optional(base64),
  documentBase64: optional(base64),
  stickerBase64: optional(base64),
  location: optional(place),
  contacts: optional(list(card, 1, 257)),
  contact: optional(group({ name: text(200), number: phoneNumber })),
  event: optional(event),
  poll: optional(poll),
  groupInvite: optional(groupInvite),
  album: optional(list(albumItem, 2, 100)),
  selection: optional(selection),
  product: optional(product),
  order: optional(order),
  payment: optional(payment),
  callLog: optional(callLog),
  system: optional(oneOf(...systemKinds)),
};

export type ContentMember = keyof typeof contentFields;

const link = group({
  url: text(2_048),
  title: optional(text(500)),
  description: optional(text(2_048)),
  thumbnailBase64: optional(base64),
});

const referral = group({
  sourceType: optional(text(100)),
  sourceId: optional(text(200)),
  sourceUrl: optional(text(2_048)),
  title: optional(text(500)),
  body: optional(text(2_048)),
  mediaUrl: optional(text(2_048)),
  clickId: optional(text(500)),
});

const channel = group({
  jid: text(100),
  name: optional(text(200)),
  messageId: optional(whole(1, 2_147_483_647)),
});

const detailFields = {
  caption: optional(text()),
  mimetype: optional(text(100)),
  fileName: optional(text(255)),
  seconds: optional(whole(0, 1_000_000)),
  width: optional(whole(1, 100_000)),
  height: optional(whole(1, 100_000)),
  waveform: optional(list(whole(0, 100), 1, 64)),
  viewOnce: optional(flag),
  hdBase64: optional(base64),
  link: optional(link),
};

const aroundFields = {
  quotedMessageId: optional(text(128)),
  quotedId: optional(text(128)),
  quotedStatus: optional(group({ id: text(128), from: phoneNumber, text: optional(text()) })),
  mentions: optional(list(text(100), 1, 1_024)),
  mentionAll: optional(flag),
  forwarded: optional(whole(1, 1_000)),
  expiresInSeconds: optional(whole(1, 2_147_483_647)),
  referral: optional(referral),
  channel: optional(channel),
};

const rawFields = {
  protobuf: optional(base64),
  message: optional<object>((value, name) => {
    if (!isObject(value)) throw badRequest(`${name} must be a JSON object with the fields of the protobuf Message`);
    return value;
  }),
  stanza: optional(group({ type: optional(text(50)), mediatype: optional(text(50)), edit: optional(text(2)) })),
};

export const messageFields = {
  to: text(100),
  type: optional(
    oneOf(
      ...(['text', 'image', 'video', 'gif', 'videoNote', 'audio', 'voice', 'document', 'sticker'] as const),
      ...(['location', 'contact', 'poll', 'event', 'groupInvite', 'album'] as const),
      ...(['product', 'order', 'payment', 'callLog', 'system'] as const),
    ),
  ),
  ...contentFields,
  ...detailFields,
  ...aroundFields,
  ...rawFields,
  count: optional(whole(1, 100_000)),
  withheld: optional(oneOf('viewOnce', 'waiting', 'garbled')),
};

export type MessageBody = Read<typeof messageFields>;
