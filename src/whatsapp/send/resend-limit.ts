/**
 * Limits resends per chat: a burst, then a rate per minute. Further resends wait for their time.
 * Source: whatsapp-rust #982 (2026, LIVE: 468 members of a group asked at once) and `resend_rate_limiter.rs` (2026-08-21): 20 and 10 in
 * groups, and no limit for persons. It drops further ones, as the next message brings the sender key to everyone who could not read;
 * but those devices would never show this message.
 */
import type { Clock } from '../../domain/clock.ts';
import type { Jid } from '../../domain/jid.ts';
import { boundedCache } from '../library/bounded-cache.ts';

interface Rate {
  readonly atOnce: number;
  readonly aMinute: number;
}

const inGroups: Rate = { atOnce: 20, aMinute: 10 };
const toPersons: Rate = { atOnce: 60, aMinute: 60 };

const minuteMs = 60_000;
/** 468 members of one group are served within it. */
const longestWaitMs = 3_600_000;
const maxChats = 1_000;

export class ResendLimit {
  readonly #clock: Pick<Clock, 'now'>;
  /** Resends left, negative by those that wait, and as of when. */
  readonly #chats = boundedCache<{ readonly left: number; readonly at: number }>(maxChats);

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Milliseconds until the resend may leave; null, and nothing is taken, if that is too long. */
  take(chat: Jid, isGroup: boolean): number | null {
    const { atOnce, aMinute } = isGroup ? inGroups : toPersons;
    const now = this.#clock.now();
    const { left, at } = this.#chats.get(chat) ?? { left: atOnce, at: now };
    // A clock set back adds nothing.
    const filled = Math.min(atOnce, left + (Math.max(0, now - at) / minuteMs) * aMinute);
    const waitMs = (Math.max(0, 1 - filled) / aMinute) * minuteMs;
    const isSoon = waitMs <= longestWaitMs;
    this.#chats.set(chat, { left: isSoon ? filled - 1 : filled, at: now });
    return isSoon ? waitMs : null;
  }
}
