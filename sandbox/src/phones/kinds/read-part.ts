/** Reads the content of a message, whichever kind it is. */
import type { Message } from '../context/context.ts';
import type { PartReader, Part } from './part.ts';
import type { Link, Quoted } from './types.ts';
import { readAlbum } from './series.ts';
import { readOrder, readPayment, readProduct } from './commerce.ts';
import { readContacts, readGroupInvite, readLocation } from './cards.ts';
import { readEvent, readPoll } from './polls.ts';
import { readCallLog, readSystem } from './lines.ts';
import { mediaOf } from './media.ts';
import { readChoices, readSelection } from './selection.ts';
import { normalizeMessageContent } from 'baileys';

export interface LinkPreview extends Link {
  readonly thumbnail: Uint8Array | null;
}

export const textMessage = (text: string, link: LinkPreview | null = null): Message => {
  if (link === null) return { conversation: text };
  const { url: matchedText, title, description, thumbnail: jpegThumbnail } = link;
  return { extendedTextMessage: { text, matchedText, title, description, jpegThumbnail, previewType: 0 } };
};

const readText: PartReader = ({ conversation, extendedTextMessage: said }) => {
  if (conversation) return { type: 'text', members: { text: conversation } };
  if (!said) return null;
  const { text, matchedText: url, title, description, contextInfo: context } = said;
  const link = url ? { url, title: title || null, description: description || null } : null;
  return { type: 'text', members: { text: text ?? '', ...(link && { link }) }, context };
};

const readers: readonly PartReader[] = [
  readText,
  readLocation,
  readContacts,
  readPoll,
  readEvent,
  readGroupInvite,
  readAlbum,
  readSelection,
  readChoices,
  readProduct,
  readOrder,
  readPayment,
  readCallLog,
  readSystem,
];

export const partOf = (content: Message): Part | null => {
  for (const reader of readers) {
    const part = reader(content);
    if (part !== null) return part;
  }
  return null;
};

export const summaryOf = (message: Message): Pick<Quoted, 'type' | 'text'> => {
  const content = normalizeMessageContent(message) ?? {};
  const file = mediaOf(content);
  if (file !== null) return { type: file.kind, text: file.fields.caption || null };
  const part = partOf(content);
  return { type: part?.type ?? 'unknown', text: part?.members.text ?? null };
};
