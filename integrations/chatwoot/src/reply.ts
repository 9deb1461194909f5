/** A message of an agent as the calls of Handset that send it, and where it goes. */
import type { Attachment, HookedMessage } from './chatwoot.ts';
import { toNetworkText } from './content.ts';

/** One message of the network. */
export interface Part {
  readonly kind: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** How it is sent where the network does not take the file in the first form. */
  readonly otherwise: { readonly kind: string; readonly body: Readonly<Record<string, unknown>> } | null;
}

export type Recipient = { readonly to: string } | { readonly toNumber: string };

export interface Reply {
  readonly message: number;
  readonly recipient: Recipient;
  readonly parts: readonly Part[];
  /** The message of Chatwoot that it answers. */
  readonly inReplyTo: number | null;
  /** Attachments that Chatwoot gave no usable address for. */
  readonly lost: number;
}

/** Characters of a file's name. */
const longestName = 255;

/** A longer caption is sent as a text of its own. */
const longestCaption = 1024;

const kindOf: Readonly<Record<string, string>> = { image: 'media', video: 'video', audio: 'audio' };

const text = (message: string): Part => ({ kind: 'text', body: { message }, otherwise: null });

const decoded = (name: string): string => {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
};

const fileNameOf = (url: string): string | null => {
  const name = decoded(new URL(url).pathname.split('/').at(-1) ?? '').slice(0, longestName);
  // oxlint-disable-next-line no-control-regex -- what a file's name may not contain
  return name === '' || /[/\\\u0000-\u001f]/.test(name) ? null : name;
};

/** Files that move: as a picture they would stand still. */
const movingKinds: readonly (readonly [ending: RegExp, kind: string, more: object])[] = [
  [/\.webp$/i, 'sticker', {}],
  [/\.gif$/i, 'video', { gif: true }],
];

const movingPart = (mediaUrl: string, fileName: string | null, caption: object): Part | null => {
  const [, kind, more] = movingKinds.find(([ending]) => ending.test(fileName ?? '')) ?? [];
  if (kind === undefined) return null;
  const captioned = kind === 'sticker' ? {} : caption;
  return {
    kind,
    body: { mediaUrl, ...captioned, ...more },
    otherwise: { kind: 'media', body: { mediaUrl, ...captioned } },
  };
};

const filePart = (attachment: Attachment, caption: string): Part | null => {
  const { file_type: type, data_url: mediaUrl } = attachment;
  if (type === 'location') {
    const { coordinates_lat: latitude, coordinates_long: longitude, fallback_title: name } = attachment;
    return { kind: 'location', body: { latitude, longitude, ...(name ? { name } : {}) }, otherwise: null };
  }
  if (mediaUrl === undefined || !URL.canParse(mediaUrl)) return null;
  const kind = kindOf[type] ?? 'document';
  const mediaCaption = caption === '' ? {} : { mediaCaption: caption };
  const fileName = fileNameOf(mediaUrl);
  const named = fileName === null ? {} : { fileName };
  const moving = type === 'image' ? movingPart(mediaUrl, fileName, mediaCaption) : null;
  if (moving !== null) return moving;
  const document = { kind: 'document', body: { mediaUrl, ...mediaCaption, ...named } };
  if (kind === 'document') return { ...document, otherwise: null };
  return { kind, body: { mediaUrl, ...mediaCaption }, otherwise: document };
};

const takesCaption = ({ kind }: Part): boolean => !['audio', 'location', 'sticker'].includes(kind);

const partsOf = (content: string | null, attachments: readonly Attachment[]): readonly Part[] => {
  const written = toNetworkText(content ?? '').trim();
  const [first] = attachments;
  const captioned = first === undefined || written.length > longestCaption ? null : filePart(first, written);
  const asCaption = written !== '' && captioned !== null && takesCaption(captioned);
  const files = attachments.map((one, at) => (at === 0 && asCaption ? captioned : filePart(one, '')));
  return [...(written === '' || asCaption ? [] : [text(written)]), ...files.filter((part) => part !== null)];
};

const isUsable = (attachment: Attachment): boolean => filePart(attachment, '') !== null;

const jid = /^[\w.-]+@(s\.whatsapp\.net|lid|g\.us)$/;

/** `known`: the chat of this conversation, if the bridge has one. Null: the contact has no address on the network. */
const recipientOf = ({ conversation }: HookedMessage, known: string | null): Recipient | null => {
  if (known !== null) return { to: known };
  const sender = conversation.meta?.sender;
  const address = [conversation.contact_inbox?.source_id, sender?.identifier].find(
    (one) => one != null && jid.test(one),
  );
  if (address != null) return { to: address };
  const digits = sender?.phone_number?.replaceAll(/\D/g, '') ?? '';
  return /^\d{8,15}$/.test(digits) ? { toNumber: digits } : null;
};

/** Null where there is nobody to send it to. */
export const replyOf = (hook: HookedMessage, known: string | null): Reply | null => {
  const recipient = recipientOf(hook, known);
  if (recipient === null) return null;
  const attachments = (hook.attachments ?? []).filter(isUsable);
  return {
    message: hook.id,
    recipient,
    parts: partsOf(hook.content, attachments),
    inReplyTo: hook.content_attributes?.in_reply_to ?? null,
    lost: (hook.attachments ?? []).length - attachments.length,
  };
};
