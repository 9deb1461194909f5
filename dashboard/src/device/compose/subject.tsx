/** The message that is answered or edited, above the field in which one writes. */
import { texts } from '../../base/texts.ts';
import { authorOf, type NameOf } from '../shown/people.ts';
import type { Subject } from '../shown/shown.ts';
import { summaryOf } from '../message/summary.ts';

const words = texts.compose;

interface Props {
  readonly subject: Subject;
  readonly nameOf: NameOf;
  readonly leave: () => void;
}

export const SubjectBar = ({ subject: { kind, message }, nameOf, leave }: Props) => (
  <div className="subject">
    <blockquote className="aside">
      <strong>{kind === 'edit' ? words.editing : words.replyTo(nameOf(authorOf(message)))}</strong>
      <span className="quote-text">{summaryOf(message, nameOf)}</span>
    </blockquote>
    <button type="button" className="icon" aria-label={words.leave[kind]} onClick={leave}>
      ×
    </button>
  </div>
);
