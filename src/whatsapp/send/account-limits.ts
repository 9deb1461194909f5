/**
 * The time lock and the cap of new chats: queried after a login and when a message is refused, and received when the network reports them.
 * Baileys rc14 queries the time lock in a branch that never runs, as another one handles every 463.
 *
 * Rules and sources:
 * - `xwa2_fetch_account_reachout_timelock`, query 23983697327930364: Baileys rc14 (2026-03-25, #2442), zapo (2026-08-19).
 * - `xwa2_message_capping_info`, query 24503548349331633: the same. Contested: its `type` is INDIVIDUAL_NEW_CHAT_THREAD in zapo's copy of
 * the web client (2026-08-19) and INDIVIDUAL_NEW_CHAT_MSG in Baileys; the second is tried after the first.
 * - The web client keeps an answer for an hour (AB property 20649, 3600 s; zapo, 2026-08-19), and assumes a minute for a time lock without
 * an end (Baileys rc14).
 */
import { type Json, mexAnswer, mexQuestion, objectIn } from '../engine/mex.ts';
import { type BinaryNode, QueryIds } from '../engine/nodes.ts';
import type { WASocket } from '../engine/types.ts';
import { type AccountLimits, type NewChatCap, noLimits } from '../../domain/account-limits.ts';
import type { Clock } from '../../domain/clock.ts';
import { type Asking, askTogether } from '../engine/asked.ts';

/** Limits of a device, kept between connections. */
export interface KnownLimits {
  limits: AccountLimits;
  /** When the network was last asked, ms. */
  askedAt: number | null;
}

export const unknownLimits = (): KnownLimits => ({ limits: noLimits, askedAt: null });

const hourMs = 3_600_000;
/** A burst of refusals causes one query. */
const againMs = 60_000;
/** How long a request waits for the text of its error. */
const answerMs = 5_000;
const lockWithoutEndMs = 60_000;
const capTypes = ['INDIVIDUAL_NEW_CHAT_THREAD', 'INDIVIDUAL_NEW_CHAT_MSG'];
/** The end of the year 9999, in seconds; later values are no times. */
const lastSecond = 253_402_300_799;

/** Numbers come as numbers and as digits. */
const numberIn = (value: unknown): number | null => {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
};

const momentIn = (value: unknown): number | null => {
  const seconds = numberIn(value);
  return seconds === null || seconds === 0 || seconds > lastSecond ? null : seconds * 1000;
};

export const lockIn = (answer: Json, now: number): number | null =>
  answer['is_active'] === true ? (momentIn(answer['time_enforcement_ends']) ?? now + lockWithoutEndMs) : null;

/** An account without a cap has a quota of none, or no quota. */
export const capIn = (answer: Json): NewChatCap | null => {
  const limit = numberIn(answer['total_quota']);
  const reached = answer['capping_status'] === 'CAPPED';
  if (!reached && (limit === null || limit === 0)) return null;
  return { used: numberIn(answer['used_quota']), limit, resetsAt: momentIn(answer['cycle_end_timestamp']), reached };
};

const lockQuestion = mexQuestion(QueryIds.REACHOUT_TIMELOCK, {});
const capQuestion = (type: string): BinaryNode => mexQuestion(QueryIds.MESSAGE_CAPPING_INFO, { input: { type } });

export interface LimitsParts extends Asking {
  readonly sock: WASocket;
  readonly known: KnownLimits;
  readonly clock: Clock;
  readonly tell: (limits: AccountLimits) => void;
}

export class Limits {
  readonly #parts: LimitsParts;
  #asking: Promise<boolean> | null = null;

  constructor(parts: LimitsParts) {
    this.#parts = parts;
    const { sock, clock } = parts;
    sock.ev.on('connection.update', ({ connection, reachoutTimeLock }) => {
      if (connection === 'open') void this.#atLogin();
      if (reachoutTimeLock === undefined) return;
      const { isActive, timeEnforcementEnds } = reachoutTimeLock;
      const until = timeEnforcementEnds?.getTime() ?? clock.now() + lockWithoutEndMs;
      this.#learn({ lockedUntil: isActive === true && !Number.isNaN(until) ? until : null });
    });
    sock.ev.on('message-capping.update', (info) => {
      const cap = objectIn(info);
      if (cap !== null) this.#learn({ newChats: capIn(cap) });
    });
  }

  get known(): AccountLimits {
    return this.#parts.known.limits;
  }

  /** After a refusal: true once the current limits are known, from a recent or new query. */
  async ask(): Promise<boolean> {
    const { known, clock } = this.#parts;
    if (known.askedAt !== null && clock.now() - known.askedAt < againMs) return true;
    this.#asking ??= this.#ask().finally(() => (this.#asking = null));
    return this.#asking;
  }

  async #atLogin(): Promise<void> {
    const { known, clock } = this.#parts;
    if (known.askedAt === null || clock.now() - known.askedAt >= hourMs) await this.ask();
  }

  async #ask(): Promise<boolean> {
    const { known, clock } = this.#parts;
    const [first = '', second = ''] = capTypes;
    const [lockAnswer = null, capAnswer = null] = await askTogether(
      this.#parts,
      [lockQuestion, capQuestion(first)],
      answerMs,
    );
    const lock = mexAnswer(lockAnswer, 'xwa2_fetch_account_reachout_timelock');
    const name = 'xwa2_message_capping_info';
    let cap = mexAnswer(capAnswer, name);
    if (cap === null && capAnswer !== null) {
      const [again = null] = await askTogether(this.#parts, [capQuestion(second)], answerMs);
      cap = mexAnswer(again, name);
    }
    if (lock === null && cap === null) return false;
    const now = clock.now();
    known.askedAt = now;
    this.#learn({
      ...(lock === null ? {} : { lockedUntil: lockIn(lock, now) }),
      ...(cap === null ? {} : { newChats: capIn(cap) }),
    });
    return true;
  }

  #learn(learned: Partial<AccountLimits>): void {
    const { known, tell } = this.#parts;
    known.limits = { ...known.limits, ...learned };
    tell(known.limits);
  }
}
