/** The message that a message replies to; a click leads to it where it is loaded. */
import type { Message } from '../../api/message.ts';
import { texts } from '../../base/texts.ts';
import { authorOf } from '../shown/people.ts';
import { useShown } from '../shown/shown.ts';
import { summaryOf } from './summary.ts';

const words = texts.message.quote;

export const Quote = ({ message: { quoted, quotedMessageId } }: { readonly message: Message }) => {
  const { nameOf, find, goTo } = useShown();
  const id = quoted?.id ?? quotedMessageId;
  if (id === null) return null;
  const original = find(id);
  const author = quoted?.from ?? (original === undefined ? null : authorOf(original));
  const name = author === null ? words.unknown : nameOf(author);
  const text =
    quoted?.text ?? (original === undefined ? texts.chat.type[quoted?.type ?? 'unknown'] : summaryOf(original, nameOf));
  const inside = (
    <>
      <strong>{name}</strong>
      <span className="quote-text">{text}</span>
    </>
  );
  if (original === undefined) return <blockquote className="aside">{inside}</blockquote>;
  return (
    <button type="button" className="aside" title={words.goTo(name)} onClick={() => goTo(id)}>
      {inside}
    </button>
  );
};
