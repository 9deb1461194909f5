/** Text with its links and the names of the people it mentions. */
import { type ReactNode, useMemo } from 'react';
import type { Person } from '../../api/message.ts';
import { ExternalLink } from '../../ui/external-link.tsx';
import { mentionedBy } from '../shown/people.ts';
import { useShown } from '../shown/shown.ts';

const marks = /(@\d{5,20}|https?:\/\/[^\s<>"]+)/;
/** Punctuation at the end of a URL belongs to the sentence. */
const sentenceEnd = /(?<![.,;:!?'")\]])[.,;:!?'")\]]+$/;

const linkIn = (piece: string, key: number): ReactNode => {
  const url = piece.replace(sentenceEnd, '');
  return (
    <span key={key}>
      <ExternalLink href={url}>{url}</ExternalLink>
      {piece.slice(url.length)}
    </span>
  );
};

export const RichText = ({ text, mentions }: { readonly text: string; readonly mentions: readonly Person[] }) => {
  const { nameOf } = useShown();
  const people = useMemo(() => mentionedBy(mentions), [mentions]);
  return text.split(marks).map((piece, index) => {
    // Odd indexes are links and mentions.
    if (index % 2 === 0) return piece;
    if (!piece.startsWith('@')) return linkIn(piece, index);
    const person = people.get(piece.slice(1));
    if (person === undefined) return piece;
    return (
      <strong key={index} className="mention">
        @{nameOf(person)}
      </strong>
    );
  });
};
