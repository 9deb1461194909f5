/** Members of the body that writes a message (docs/sandbox.md, Messages). */
import { badRequest } from '../errors.ts';
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
} from './fields.ts';

const group =
  <F extends Parameters<typeof readFields>[1]>(fields: F): Field<Read<F>> =>
  (value, name) =>
    readFields(value, fields, name);

const time: Field<string> = (value, name) => {
  const date = typeof value === 'string' ? new Date(value) : null;
  if (date === null || Number.isNaN(date.getTime())) throw badRequest(`${name} must be a time in ISO 8601`);
  return date.toISOString();
};

const place = group({
  latitude: decimal(-90, 90),
  longitude: decimal(-180, 180),
  name: optional(text(200)),
  address: optional(text(500)),
  live: optional(flag),
  accuracyMeters: optional(whole(0, 100_000)),
});

const card = group({
  name: text(200),
  numbers: list(phoneNumber, 1, 20),
  organization: optional(text(200)),
  vcard: optional(text()),
});

const event = group({
  name: text(100),
  description: optional(text(2_048)),
  startsAt: optional(time),
  endsAt: optional(time),
  place: optional(text(200)),
  canceled: optional(flag),
});

const poll = group({
  question: text(255),
  options: list(text(100), 2, 12),
  maxAnswers: optional(whole(1, 12)),
});

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
};

/** Members that say more of the content. */
const detailFields = {
  caption: optional(text()),
  mimetype: optional(text(100)),
  fileName: optional(text(255)),
  seconds: optional(whole(0, 1_000_000)),
  width: optional(whole(1, 100_000)),
  height: optional(whole(1, 100_000)),
  waveform: optional(list(whole(0, 100), 1, 64)),
  viewOnce: optional(flag),
  link: optional(link),
};

const aroundFields = {
  quotedMessageId: optional(text(128)),
  quotedId: optional(text(128)),
  mentions: optional(list(text(100), 1, 1_024)),
  forwarded: optional(whole(1, 1_000)),
  expiresInSeconds: optional(whole(1, 2_147_483_647)),
  referral: optional(referral),
  channel: optional(channel),
};

export const messageFields = {
  to: text(100),
  type: optional(
    oneOf(
      ...(['text', 'image', 'video', 'gif', 'videoNote', 'audio', 'voice', 'document', 'sticker'] as const),
      ...(['location', 'contact', 'poll', 'event'] as const),
    ),
  ),
  ...contentFields,
  ...detailFields,
  ...aroundFields,
  count: optional(whole(1, 100_000)),
  withheld: optional(oneOf('viewOnce', 'waiting', 'garbled')),
};

export type MessageBody = Read<typeof messageFields>;
export type ContentMember = keyof typeof contentFields;
