/** Restrictions of an account by the network and by its device's own limit (docs/spec/devices.md, Limits). */
import { limitAt, type NewChatCap, noLimits, restrictionWords } from '../../domain/account-limits.ts';
import { nextDay } from '../../domain/chats/new-chats.ts';
import type { DeviceRecord } from '../../domain/device.ts';
import type { Session } from '../../domain/sessions/session.ts';
import type { LiveParts } from '../parts.ts';
import { banWords, reasonOf } from './view.ts';

interface NewChats {
  readonly used: number | null;
  readonly limit: number | null;
  readonly resetsAt: number | null;
}

/** Times in ms; null: unknown or not restricted. */
export interface LimitsView {
  readonly restrictedUntil: number | null;
  readonly reason: string | null;
  readonly newChats: NewChats;
}

type Restriction = Pick<LimitsView, 'restrictedUntil' | 'reason'>;

const noChats: NewChats = { used: null, limit: null, resetsAt: null };

const leftOf = ({ used, limit }: NewChats): number => (limit === null ? Infinity : limit - (used ?? 0));

const byNetwork = ({ state, limits = noLimits }: Session, now: number): Restriction | null => {
  if (state.kind === 'reconnecting' && state.ban !== undefined)
    return { restrictedUntil: state.ban.until, reason: banWords(state.ban) };
  if (state.kind === 'closed' && (state.reason === 'locked' || state.reason === 'banned'))
    return { restrictedUntil: null, reason: reasonOf(state) };
  const limit = limitAt(limits, now);
  return limit === null ? null : { restrictedUntil: limit.until, reason: restrictionWords(limit) };
};

const capOf = (cap: NewChatCap | null, now: number): NewChats | null => {
  if (cap === null || (cap.resetsAt !== null && cap.resetsAt <= now)) return null;
  return { used: cap.used, limit: cap.limit, resetsAt: cap.resetsAt };
};

const ownWords = (limit: number, until: number): string =>
  limit === 0
    ? 'The device may begin no new chats: its own limit is 0. Existing chats are not affected. Raise the limit in the settings of the device.'
    : `The device has reached its own limit of new chats (${limit} a day). Existing chats are not affected. Begin others after ${new Date(until).toISOString()}, or raise the limit in the settings of the device.`;

/** Network restrictions first; of the two caps on new chats, the one that leaves fewer. */
export const limitsOf = async (
  { stores, clock }: Pick<LiveParts, 'stores' | 'clock'>,
  { id, settings }: DeviceRecord,
  session: Session,
): Promise<LimitsView> => {
  const now = clock.now();
  const limit = settings.newChatsPerDay;
  const own = limit === null ? null : { used: await stores.newChats.count(id, now), limit, resetsAt: nextDay(now) };
  const cap = capOf(session.limits?.newChats ?? null, now);
  const newChats = own !== null && (cap === null || leftOf(own) <= leftOf(cap)) ? own : (cap ?? noChats);
  const told = byNetwork(session, now);
  if (told !== null) return { ...told, newChats };
  if (own === null || own.used < own.limit) return { restrictedUntil: null, reason: null, newChats };
  return {
    restrictedUntil: own.limit === 0 ? null : own.resetsAt,
    reason: ownWords(own.limit, own.resetsAt),
    newChats,
  };
};
