/** Members of the body that writes a message (docs/sandbox.md, Messages). */
import { contentFields, group } from './content-fields.ts';
import { badRequest } from '../base/errors.ts';
import { base64, flag, isObject, list, oneOf, optional, phoneNumber, type Read, text, whole } from '../base/fields.ts';

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
  hdBase64: optional(base64),
  link: optional(link),
};

const aroundFields = {
  quotedMessageId: optional(text(128)),
  quotedId: optional(text(128)),
  quotedStatus: optional(group({ id: text(128), from: phoneNumber, text: optional(text()) })),
  mentions: optional(list(text(100), 1, 1_024)),
  forwarded: optional(whole(1, 1_000)),
  expiresInSeconds: optional(whole(1, 2_147_483_647)),
  referral: optional(referral),
  channel: optional(channel),
};

/** A message that the phone sends as it is. */
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
