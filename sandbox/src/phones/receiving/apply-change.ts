/** Applies messages that change another message on a phone's screen. */
import type { PhoneContext } from '../context.ts';
import { withVote } from '../kinds/poll.ts';
import type { Reading } from './read.ts';

/** An edit, a revoke, a reaction, a vote or an answer. */
export const applyChange = (phone: PhoneContext, reading: Reading, by: string): void => {
  const { view } = phone;
  if (reading.kind === 'hidden' || reading.kind === 'shown') return;
  const target = view.find(reading.id);
  if (target === null) return;
  if (reading.kind === 'answer') {
    const { details } = target;
    const former = Array.isArray(details?.['answers']) ? details['answers'] : [];
    const others = former.filter((each: { readonly from: string }) => each.from !== by);
    view.change(target.id, {
      details: { ...details, answers: [...others, { from: by, answer: reading.answer }] },
      ...(target.poll && { poll: withVote(target.poll, by, reading.answer) }),
    });
    return;
  }
  if (reading.kind === 'reaction') {
    const others = target.reactions.filter(({ from }) => from !== by);
    view.change(target.id, {
      reactions: reading.emoji === '' ? others : [...others, { from: by, emoji: reading.emoji }],
    });
    return;
  }
  // Only the author can change what a message says.
  if (target.from !== by) return;
  if (reading.kind === 'revoke') view.revoke(target.id);
  else if (target.image !== null)
    view.change(target.id, { edited: true, image: { ...target.image, caption: reading.text } });
  else if (target.media !== null)
    view.change(target.id, { edited: true, media: { ...target.media, caption: reading.text } });
  else view.change(target.id, { edited: true, text: reading.text });
};
