/** The timer of a chat: messages that are written under it disappear after a while. */
import type { PhoneContext } from '../context.ts';
import type { Shown } from '../view.ts';

/** Takes over the timer that a message sets for its chat. */
export const keepTimer = ({ timers }: PhoneContext, chat: string, shown: Shown): void => {
  if (shown.system !== 'timer') return;
  if (shown.expiresInSeconds) timers.set(chat, shown.expiresInSeconds);
  else timers.delete(chat);
};
