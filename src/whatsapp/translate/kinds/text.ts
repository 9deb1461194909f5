/** Texts, with the preview of a link. */
import type { proto } from '../../engine/proto.ts';
import type { LinkPreview } from '../../../domain/messages/parts.ts';
import { cutOrNull, type Kinds } from '../kind.ts';

const mostUrlCharacters = 4_096;

const linkOf = (text: proto.Message.IExtendedTextMessage): LinkPreview | null => {
  const url = cutOrNull(text.matchedText, mostUrlCharacters);
  if (url === null) return null;
  return { url, title: cutOrNull(text.title), description: cutOrNull(text.description, mostUrlCharacters) };
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
