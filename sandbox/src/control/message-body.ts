/** Turns the body of a request into the message to write. */
import type { MediaKind } from '../media/cipher.ts';
import { vcardOf } from '../phones/kinds/contacts.ts';
import type { Attachment } from '../phones/kinds/media.ts';
import type { ContactCard } from '../phones/kinds/types.ts';
import type { Writing } from '../phones/sending/compose.ts';
import type { WriteOptions } from '../phones/sending/writer.ts';
import { badRequest, notFound } from '../errors.ts';
import { contentFields, type ContentMember, type MessageBody } from './message-fields.ts';
import type { Network } from './network.ts';

type Type = NonNullable<MessageBody['type']>;

/** Types of message by the member with their content; the first is meant where no type is given. */
const typesOf: Readonly<Record<ContentMember, readonly [Type, ...Type[]]>> = {
  text: ['text'],
  imageBase64: ['image'],
  videoBase64: ['video', 'gif', 'videoNote'],
  audioBase64: ['audio', 'voice'],
  documentBase64: ['document'],
  stickerBase64: ['sticker'],
  location: ['location'],
  contacts: ['contact'],
  contact: ['contact'],
  event: ['event'],
  poll: ['poll'],
};

const members = Object.keys(contentFields).filter((name): name is ContentMember => name in contentFields);

/** The one member with content. */
const memberOf = (body: MessageBody): ContentMember => {
  const [member, ...more] = members.filter((name) => body[name] !== null);
  if (member === undefined || more.length > 0) throw badRequest(`exactly one of ${members.join(', ')} must be given`);
  if (body.type !== null && !typesOf[member].includes(body.type)) {
    const wanted = members.filter((name) => typesOf[name].some((type) => type === body.type));
    throw badRequest(`type is ${body.type}, so ${wanted.join(' or ')} must be given, not ${member}`);
  }
  return member;
};

/** Members that go with some types only. */
const companions: readonly (readonly [keyof MessageBody, readonly Type[], string])[] = [
  ['caption', ['image', 'video', 'gif', 'document', 'audio', 'sticker'], 'media'],
  ['mimetype', ['image', 'video', 'gif', 'videoNote', 'audio', 'voice', 'document', 'sticker'], 'media'],
  ['fileName', ['image', 'video', 'gif', 'videoNote', 'audio', 'voice', 'document', 'sticker'], 'media'],
  ['seconds', ['video', 'gif', 'videoNote', 'audio', 'voice'], 'videos and recordings'],
  ['width', ['video', 'gif', 'videoNote'], 'videos'],
  ['height', ['video', 'gif', 'videoNote'], 'videos'],
  ['waveform', ['voice'], 'voice messages'],
  ['viewOnce', ['image', 'video', 'voice'], 'images, videos and voice messages'],
  ['link', ['text'], 'texts'],
];

const assertCompanions = (body: MessageBody, type: Type): void => {
  for (const [name, types, words] of companions) {
    const given = body[name] !== null && body[name] !== false;
    if (given && !types.includes(type)) throw badRequest(`${name} goes with ${words} only`);
  }
};

const attachmentOf = (body: MessageBody, kind: MediaKind, type: Type): Attachment => ({
  kind,
  bytes: body[`${kind}Base64`] ?? Buffer.alloc(0),
  mimetype: body.mimetype,
  caption: body.caption,
  fileName: body.fileName,
  voice: type === 'voice',
  gif: type === 'gif',
  note: type === 'videoNote',
  seconds: body.seconds,
  width: body.width,
  height: body.height,
  waveform: body.waveform,
});

const cardOf = ({ name, numbers, organization, vcard }: Omit<ContactCard, 'vcard'> & { vcard: string | null }) => ({
  name,
  numbers,
  organization,
  vcard: vcard ?? vcardOf(name, numbers, organization),
});

const pollOf = (poll: NonNullable<MessageBody['poll']>): Writing => {
  const { options, maxAnswers } = poll;
  if (new Set(options).size < options.length) throw badRequest('options must differ from each other');
  if (maxAnswers !== null && maxAnswers > options.length) {
    throw badRequest(`maxAnswers must be ${options.length} at most: there are no more options`);
  }
  return { kind: 'poll', poll: { ...poll, maxAnswers: maxAnswers ?? 1 } };
};

export const writingOf = (body: MessageBody): Writing => {
  const member = memberOf(body);
  const type = body.type ?? typesOf[member][0];
  assertCompanions(body, type);
  const { text, link, location, contacts, contact, event, poll } = body;
  if (text !== null) {
    if (link === null) return { kind: 'text', text };
    if (!text.includes(link.url)) throw badRequest('link.url must be in the text');
    return { kind: 'text', text, link: { ...link, thumbnail: link.thumbnailBase64 } };
  }
  if (location !== null) return { kind: 'location', location: { ...location, live: location.live ?? false } };
  if (contacts !== null) return { kind: 'contacts', contacts: contacts.map(cardOf) };
  if (contact !== null) {
    const { name, number } = contact;
    return { kind: 'contacts', contacts: [cardOf({ name, numbers: [number], organization: null, vcard: null })] };
  }
  if (event !== null) return { kind: 'event', event: { ...event, canceled: event.canceled ?? false } };
  if (poll !== null) return pollOf(poll);
  const media = (['image', 'video', 'audio', 'document', 'sticker'] as const).find(
    (kind) => `${kind}Base64` === member,
  );
  return { kind: 'media', attachment: attachmentOf(body, media ?? 'document', type) };
};

const personOf = ({ hub }: Network, mentioned: string): string => {
  const account = hub.findAccount(mentioned);
  if (account === null) throw notFound(`mentions: there is no account ${mentioned}`);
  return account.jid;
};

export const optionsOf = (network: Network, body: MessageBody): WriteOptions => {
  const { quotedId, quotedMessageId, mentions, forwarded, expiresInSeconds, referral, channel, withheld } = body;
  return {
    forwarded,
    expiresInSeconds,
    referral,
    channel,
    withheld,
    quotedId: quotedMessageId ?? quotedId,
    mentions: mentions?.map((each) => personOf(network, each)) ?? null,
    viewOnce: body.viewOnce ?? false,
    count: body.count ?? 1,
  };
};
