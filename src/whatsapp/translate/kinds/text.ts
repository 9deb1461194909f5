/** Texts, with link previews. */
import { proto } from '../../library/proto.ts';
import type { OutgoingPreview } from '../../../domain/messages/outgoing.ts';
import type { LinkPreview } from '../../../domain/messages/parts.ts';
import { cutOrNull } from '../parts/limits.ts';
import type { Kinds } from '../parts/kind.ts';

const maxUrlCharacters = 4_096;

const linkOf = (text: proto.Message.IExtendedTextMessage): LinkPreview | null => {
  const url = cutOrNull(text.matchedText, maxUrlCharacters);
  if (url === null) return null;
  return { url, title: cutOrNull(text.title), description: cutOrNull(text.description, maxUrlCharacters) };
};

export const textKinds: Kinds = {
  conversation: ({ conversation }) => ({ type: 'text', text: conversation }),
  extendedTextMessage: ({ extendedTextMessage: text }) => {
    const link = linkOf(text!);
    return {
      type: 'text',
      text: text!.text,
      context: text!.contextInfo,
      ...(link === null ? {} : { parts: { link } }),
    };
  },
};

/** With the preview fields of the apps (zapo `addons/link-preview/builder.ts`, 2026-08-19). */
export const withPreview = (text: string, preview: OutgoingPreview): proto.IMessage => {
  const { url: matchedText, title, description, thumbnail } = preview;
  const previewType = proto.Message.ExtendedTextMessage.PreviewType.NONE;
  const picture = thumbnail === null ? {} : { jpegThumbnail: thumbnail };
  return { extendedTextMessage: { text, matchedText, title, description, previewType, ...picture } };
};
