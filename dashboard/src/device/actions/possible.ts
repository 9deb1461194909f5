/** The actions that are possible on a message, by the rules of the service (docs/spec/messages.md). */
import type { Message, MessageType } from '../../api/message.ts';

const names = ['reply', 'react', 'copy', 'edit', 'forward', 'star', 'pin', 'deleteForMe', 'delete'] as const;

export type ActionName = (typeof names)[number];

const editMs = 15 * 60_000;
const deleteMs = 60 * 3_600_000;

const captioned: readonly MessageType[] = ['image', 'video', 'document'];
const forwardable: readonly MessageType[] = [
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contact',
];

/** `isAdmin`: of the group of the message, where an administrator deletes messages of others. Empty for a message that is not on the network. */
export const possibleActions = (message: Message, isAdmin: boolean, now: number): ReadonlySet<ActionName> => {
  const { direction, type, text, deletedAt, unavailable, viewOnce, state, timestamp, media } = message;
  if (deletedAt !== null || state === 'pending' || state === 'failed') return new Set();
  const ageMs = now - Date.parse(timestamp);
  const own = direction === 'out';
  const whole = unavailable === null && !viewOnce;
  const offered: Readonly<Record<ActionName, boolean>> = {
    reply: true,
    react: true,
    copy: text !== null,
    edit: own && ageMs < editMs && (type === 'text' || (captioned.includes(type) && media !== null)),
    forward: whole && forwardable.includes(type),
    star: true,
    pin: true,
    deleteForMe: true,
    delete: (own || isAdmin) && ageMs < deleteMs,
  };
  return new Set(names.filter((name) => offered[name]));
};
