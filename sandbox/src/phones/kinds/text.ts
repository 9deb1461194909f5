/** Texts, and the previews of links in them. */
import type { Message } from '../context/context.ts';
import type { PartReader } from './part.ts';
import type { Link } from './types.ts';

export interface LinkPreview extends Link {
  readonly thumbnail: Uint8Array | null;
}

export const textMessage = (text: string, link: LinkPreview | null = null): Message => {
  if (link === null) return { conversation: text };
  const { url: matchedText, title, description, thumbnail: jpegThumbnail } = link;
  return { extendedTextMessage: { text, matchedText, title, description, jpegThumbnail, previewType: 0 } };
};

export const readText: PartReader = ({ conversation, extendedTextMessage: said }) => {
  if (conversation) return { type: 'text', members: { text: conversation } };
  if (!said) return null;
  const { text, matchedText: url, title, description, contextInfo: context } = said;
  const link = url ? { url, title: title || null, description: description || null } : null;
  return { type: 'text', members: { text: text ?? '', ...(link && { link }) }, context };
};
