/** The timer of a chat: messages that are written under it disappear after a while. */
import type { BinaryNode } from 'baileys';
import { childOf } from '../../base/nodes.ts';
import type { PhoneContext } from '../context/context.ts';
import type { Shown } from '../context/view.ts';

type Timed = Pick<PhoneContext, 'timers'>;

/** `seconds` 0: its messages stay. */
export const setTimer = ({ timers }: Timed, chat: string, seconds: number): void => {
  if (seconds > 0) timers.set(chat, seconds);
  else timers.delete(chat);
};

/** Takes over the timer that a message sets for its chat. */
export const keepTimer = (phone: Timed, chat: string, shown: Shown): void => {
  if (shown.system === 'timer') setTimer(phone, chat, shown.expiresInSeconds ?? 0);
};

/** Takes over the timer of a group, when the server tells of a new one, or that the account has come into the group. */
export const keepGroupTimer = (phone: Timed, notification: BinaryNode): void => {
  const group = notification.attrs['from'] ?? '';
  const created = childOf(childOf(notification, 'create'), 'group');
  const timer = childOf(created ?? notification, 'ephemeral');
  if (timer !== undefined) setTimer(phone, group, Number(timer.attrs['expiration']));
  else if (created !== undefined || childOf(notification, 'not_ephemeral') !== undefined) setTimer(phone, group, 0);
};
