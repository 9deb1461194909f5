/** Types of messages, and which members of a body go with which of them. */
import { badRequest } from '../base/errors.ts';
import type { ContentMember } from './content-fields.ts';
import type { MessageBody } from './message-fields.ts';

export type Type = NonNullable<MessageBody['type']>;

/** Types of message by the member with their content; the first is meant where no type is given. */
export const typesOf: Readonly<Record<ContentMember, readonly [Type, ...Type[]]>> = {
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

/** Lines that the apps write have nothing around them. */
const bare: readonly Type[] = ['callLog', 'system'];
const around = [
  'quotedMessageId',
  'quotedId',
  'quotedStatus',
  'mentions',
  'forwarded',
  'expiresInSeconds',
  'referral',
  'channel',
] as const;

export const assertCompanions = (body: MessageBody, type: Type): void => {
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
