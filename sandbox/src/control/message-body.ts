/** Turns the body of a request into the message to write. */
import { badRequest, notFound } from '../base/errors.ts';
import { type ContentMember, type MessageBody, contentFields } from './message-fields.ts';
import type { MediaKind } from '../media/cipher.ts';
import { vcardOf } from '../phones/kinds/cards.ts';
import type { Attachment } from '../phones/kinds/media.ts';
import type { ContactCard } from '../phones/kinds/types.ts';
import type { Writing } from '../phones/sending/compose.ts';
import type { WriteOptions } from '../phones/sending/writer.ts';
import type { Network } from './network.ts';

type Type = NonNullable<MessageBody['type']>;

/** Allowed types by content field; the first is the default. */
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
  groupInvite: ['groupInvite'],
  album: ['album'],
  selection: ['text'],
  product: ['product'],
  order: ['order'],
  payment: ['payment'],
  callLog: ['callLog'],
  system: ['system'],
};

const files = ['image', 'video', 'gif', 'videoNote', 'audio', 'voice', 'document', 'sticker'] as const;

interface Rule {
  readonly members: readonly (keyof MessageBody)[];
  readonly types: readonly Type[];
  readonly words: string;
}

const withCaption: Rule['types'] = ['image', 'video', 'gif', 'document', 'audio', 'sticker'];

const rules: readonly Rule[] = [
  { members: ['caption'], types: [...withCaption, 'groupInvite', 'order', 'payment'], words: 'media' },
  { members: ['mimetype', 'fileName'], types: files, words: 'media' },
  { members: ['seconds'], types: ['video', 'gif', 'videoNote', 'audio', 'voice'], words: 'videos and recordings' },
  { members: ['width', 'height'], types: ['video', 'gif', 'videoNote'], words: 'videos' },
  { members: ['waveform'], types: ['voice'], words: 'voice messages' },
  { members: ['viewOnce'], types: ['image', 'video', 'voice'], words: 'images, videos and voice messages' },
  { members: ['hdBase64'], types: ['image', 'video'], words: 'images and videos' },
  { members: ['link'], types: ['text'], words: 'texts' },
];

/** Lines written by the apps take no quote, mentions and the like. */
const bare: readonly Type[] = ['callLog', 'system'];
const around = [
  'quotedMessageId',
  'quotedId',
  'quotedStatus',
  'mentions',
  'mentionAll',
  'forwarded',
  'expiresInSeconds',
  'referral',
  'channel',
] as const;

const assertCompanions = (body: MessageBody, type: Type): void => {
  const isGiven = (name: keyof MessageBody): boolean => body[name] !== null && body[name] !== false;
  for (const { members, types, words } of rules) {
    const wrong = types.includes(type) ? undefined : members.find(isGiven);
    if (wrong !== undefined) throw badRequest(`${wrong} goes with ${words} only`);
  }
  const wrong = bare.includes(type) ? around.find(isGiven) : undefined;
  if (wrong !== undefined) throw badRequest(`${wrong} does not go with ${type}`);
  if (type === 'payment' && body.caption === null && around.some(isGiven)) {
    throw badRequest('a payment without a caption has no place for a quote or the like: give it a caption');
  }
};

const members = Object.keys(contentFields).filter((name): name is ContentMember => name in contentFields);

const memberOf = (body: MessageBody): ContentMember => {
  const [member, ...more] = members.filter((name) => body[name] !== null);
  if (member === undefined || more.length > 0) throw badRequest(`exactly one of ${members.join(', ')} must be given`);
  if (body.type !== null && !typesOf[member].includes(body.type)) {
    const wanted = members.filter((name) => typesOf[name].some((type) => type === body.type));
    throw badRequest(`type is ${body.type}, so ${wanted.join(' or ')} must be given, not ${member}`);
  }
  return member;
};

const attachmentOf = (body: MessageBody, kind: MediaKind, type: Type): Extract<Writing, { kind: 'media' }> => ({
  kind: 'media',
  attachment: {
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
  },
});

const cardOf = ({ name, numbers, organization, vcard }: Omit<ContactCard, 'vcard'> & { vcard: string | null }) => ({
  name,
  numbers,
  organization,
  vcard: vcard ?? vcardOf(name, numbers, organization),
});

const textOf = (text: string, link: MessageBody['link']): Writing => {
  if (link === null) return { kind: 'text', text };
  if (!text.includes(link.url)) throw badRequest('link.url must be in the text');
  return { kind: 'text', text, link: { ...link, thumbnail: link.thumbnailBase64 } };
};

const pollOf = (poll: NonNullable<MessageBody['poll']>): Writing => {
  const { options, maxAnswers } = poll;
  if (new Set(options).size < options.length) throw badRequest('options must differ from each other');
  if (maxAnswers !== null && maxAnswers > options.length) {
    throw badRequest(`maxAnswers must be ${options.length} at most: there are no more options`);
  }
  return { kind: 'poll', poll: { ...poll, maxAnswers: maxAnswers ?? 1 } };
};

const personal = (body: MessageBody): Writing | null => {
  const { location, contacts, contact, event, poll, groupInvite: invite } = body;
  if (location !== null) return { kind: 'location', location: { ...location, live: location.live ?? false } };
  if (contacts !== null) return { kind: 'contacts', contacts: contacts.map(cardOf) };
  if (contact !== null) {
    const card = cardOf({ name: contact.name, numbers: [contact.number], organization: null, vcard: null });
    return { kind: 'contacts', contacts: [card] };
  }
  if (event !== null) return { kind: 'event', event };
  if (poll !== null) return pollOf(poll);
  return invite === null ? null : { kind: 'groupInvite', invite, caption: body.caption };
};

const commercial = ({ selection, product, order, payment, caption }: MessageBody, from: string): Writing | null => {
  if (selection !== null) return { kind: 'selection', selected: selection, from: selection.from ?? 'button' };
  if (product !== null) {
    const { imageBase64, ...shown } = product;
    return { kind: 'product', product: shown, image: imageBase64 };
  }
  if (order !== null) return { kind: 'order', order, caption };
  return payment === null ? null : { kind: 'payment', payment, caption, from };
};

export const writingOf = (body: MessageBody, from: string): Writing => {
  const member = memberOf(body);
  const type = body.type ?? typesOf[member][0];
  assertCompanions(body, type);
  const { text, link, callLog, system } = body;
  if (text !== null) return textOf(text, link);
  if (callLog !== null) return { kind: 'callLog', callLog: { ...callLog, video: callLog.video ?? false } };
  if (system !== null) return { kind: 'system', system };
  const media = (['image', 'video', 'audio', 'document', 'sticker'] as const).find(
    (kind) => `${kind}Base64` === member,
  );
  const writing = media ? attachmentOf(body, media, type) : (personal(body) ?? commercial(body, from));
  if (writing === null) throw badRequest(`${member} cannot be written`);
  return writing;
};

export const albumOf = (body: MessageBody): readonly Attachment[] | null => {
  if (body.album === null) return null;
  memberOf(body);
  assertCompanions(body, 'album');
  const extra = (['count', 'withheld'] as const).find((name) => body[name] !== null);
  if (extra !== undefined) throw badRequest(`${extra} does not go with an album`);
  return body.album.map(({ imageBase64, videoBase64, caption }, index) => {
    const bytes = imageBase64 ?? videoBase64;
    if (bytes === null || (imageBase64 !== null && videoBase64 !== null)) {
      throw badRequest(`album[${index}] must have either imageBase64 or videoBase64`);
    }
    return { kind: imageBase64 === null ? 'video' : 'image', bytes, caption, mimetype: null, fileName: null };
  });
};

/** An image or video and its HD version; null for other messages. */
export const hdPairOf = (body: MessageBody): readonly [Attachment, Attachment] | null => {
  const { hdBase64, videoBase64 } = body;
  if (hdBase64 === null) return null;
  const extra = (['count', 'withheld', 'viewOnce'] as const).find((name) => body[name] !== null);
  if (extra !== undefined) throw badRequest(`${extra} does not go with hdBase64`);
  const type = body.type ?? typesOf[memberOf(body)][0];
  assertCompanions(body, type);
  const writing = attachmentOf(body, videoBase64 === null ? 'image' : 'video', type);
  return [writing.attachment, { ...writing.attachment, bytes: hdBase64, caption: null }];
};

const personOf = ({ hub }: Network, mentioned: string): string => {
  const account = hub.findAccount(mentioned);
  if (account === null) throw notFound(`mentions: there is no account ${mentioned}`);
  return account.jid;
};

export const optionsOf = (network: Network, body: MessageBody): WriteOptions => {
  const { quotedId, quotedMessageId, quotedStatus, mentions } = body;
  const { forwarded, expiresInSeconds, referral, channel, withheld } = body;
  const quotes = [quotedId, quotedMessageId, quotedStatus].filter((each) => each !== null);
  if (body.mentionAll && !body.to.endsWith('@g.us')) throw badRequest('mentionAll goes to groups only');
  if (quotes.length > 1) throw badRequest('only one of quotedMessageId, quotedId and quotedStatus can be given');
  return {
    forwarded,
    expiresInSeconds,
    referral,
    channel,
    withheld,
    quotedId: quotedMessageId ?? quotedId,
    quotedStatus: quotedStatus && { ...quotedStatus, from: personOf(network, quotedStatus.from) },
    mentions: mentions?.map((each) => personOf(network, each)) ?? null,
    mentionAll: body.mentionAll ?? false,
    viewOnce: body.viewOnce ?? false,
    count: body.count ?? 1,
  };
};
