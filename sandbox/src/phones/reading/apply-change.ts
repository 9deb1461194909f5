/** Applies messages that change another message on a phone's screen. */
import type { PhoneContext } from '../context/context.ts';
import { withVote } from '../kinds/poll.ts';
import type { Reading } from './read.ts';
import type { Change, ViewMessage } from '../context/view.ts';

/** Votes in a poll, or the answer to an event. */
const answered = ({ details, poll }: ViewMessage, by: string, answer: readonly string[]): Change => {
  const former = Array.isArray(details?.['answers']) ? details['answers'] : [];
  const others = former.filter((each: { readonly from: string }) => each.from !== by);
  return {
    details: { ...details, answers: [...others, { from: by, answer }] },
    ...(poll && { poll: withVote(poll, by, answer) }),
  };
};

const edited = ({ image, media }: ViewMessage, { text, event }: Extract<Reading, { kind: 'edit' }>): Change => {
  if (event) return { edited: true, event };
  if (image !== null) return { edited: true, image: { ...image, caption: text } };
  if (media !== null) return { edited: true, media: { ...media, caption: text } };
  return { edited: true, text };
};

/** The right to revoke is checked by the caller. */
export const applyChange = ({ view }: PhoneContext, reading: Reading, by: string): void => {
  if (reading.kind === 'hidden' || reading.kind === 'shown') return;
  const target = view.find(reading.id);
  if (target === null) return;
  const { id } = target;
  switch (reading.kind) {
    case 'answer':
      return view.change(id, answered(target, by, reading.answer));
    case 'reaction': {
      const others = target.reactions.filter(({ from }) => from !== by);
      const { emoji } = reading;
      return view.change(id, { reactions: emoji === '' ? others : [...others, { from: by, emoji }] });
    }
    case 'comment':
      return view.change(id, { comments: [...(target.comments ?? []), { from: by, text: reading.text }] });
    case 'pin':
      return view.change(id, { pinned: reading.seconds === null ? null : { from: by, seconds: reading.seconds } });
    case 'edit':
      // Only the author can change what a message says.
      if (target.from === by) view.change(id, edited(target, reading));
      return;
    case 'revoke':
      view.revoke(id);
  }
};
