/** Applies messages that change another message in a phone's view. */
import { conflict } from '../../base/errors.ts';
import { chatName, isGroup } from '../context/address.ts';
import type { PhoneContext } from '../context/context.ts';
import { askAdministrators } from '../context/requests.ts';
import type { ViewMessage, Shown, Change } from '../context/view.ts';
import type { BinaryNode } from 'baileys';
import { childOf } from '../../base/nodes.ts';
import { withVote } from '../kinds/polls.ts';
import type { Reading } from './read.ts';

/** The author, and in groups an administrator. */
export const mayRevoke = async (phone: PhoneContext, { chat, from }: ViewMessage, by: string): Promise<boolean> => {
  if (from === by) return true;
  if (!isGroup(chat)) return false;
  const administrators = await askAdministrators(phone.line, chat);
  return administrators.some((jid) => chatName(phone.hub, jid) === by);
};

export const assertMayRevoke = async (phone: PhoneContext, message: ViewMessage): Promise<void> => {
  if (await mayRevoke(phone, message, phone.account.jid)) return;
  throw conflict('only its author can delete a message for everyone, or an administrator of its group');
};

type Timed = Pick<PhoneContext, 'timers'>;

export const setTimer = ({ timers }: Timed, chat: string, seconds: number): void => {
  if (seconds > 0) timers.set(chat, seconds);
  else timers.delete(chat);
};

export const keepTimer = (phone: Timed, chat: string, shown: Shown): void => {
  if (shown.system === 'timer') setTimer(phone, chat, shown.expiresInSeconds ?? 0);
};

export const keepGroupTimer = (phone: Timed, notification: BinaryNode): void => {
  const group = notification.attrs['from'] ?? '';
  const created = childOf(childOf(notification, 'create'), 'group');
  const timer = childOf(created ?? notification, 'ephemeral');
  if (timer !== undefined) setTimer(phone, group, Number(timer.attrs['expiration']));
  else if (created !== undefined || childOf(notification, 'not_ephemeral') !== undefined) setTimer(phone, group, 0);
};

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

/** The caller checks the right to revoke. */
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
      if (target.from === by) view.change(id, edited(target, reading));
      return;
    case 'revoke':
      view.revoke(id);
  }
};
