/**
 * Limits resends per chat: a burst, then a rate per minute.
 * Source: whatsapp-rust #982 (2026, LIVE: 468 members of a group asked at once) and `resend_rate_limiter.rs` (2026-08-21): 20 and 10 in
 * groups, where the next message brings the sender key to everyone who could not read, and no limit for persons. Here persons have a
 * limit too: further resends wait.
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
const maxChats = 1_000;

export class ResendLimit {
  readonly #clock: Pick<Clock, 'now'>;
  /** Resends left, and as of when. */
  readonly #chats = boundedCache<{ readonly left: number; readonly at: number }>(maxChats);

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  take(chat: Jid, isGroup: boolean): boolean {
    const { atOnce, aMinute } = isGroup ? inGroups : toPersons;
    const now = this.#clock.now();
    const { left, at } = this.#chats.get(chat) ?? { left: atOnce, at: now };
    // A clock set back adds nothing.
    const filled = Math.min(atOnce, left + (Math.max(0, now - at) / minuteMs) * aMinute);
    const isLeft = filled >= 1;
    this.#chats.set(chat, { left: isLeft ? filled - 1 : filled, at: now });
    return isLeft;
  }
}
