/**
 * The time lock and the cap of new chats: queried after a login and on a refusal, and reported by the network.
 *
 * Rules and sources:
 * - `xwa2_fetch_account_reachout_timelock`: zapo (2026-08-19).
 * - `xwa2_message_capping_info`: the same. Contested: its `type` is INDIVIDUAL_NEW_CHAT_THREAD in zapo's copy of
 * the web client (2026-08-19) and INDIVIDUAL_NEW_CHAT_MSG elsewhere (docs/internals/sources.md); the second is tried after the first.
 * - The web client keeps an answer for an hour (AB property 20649, 3600 s; zapo, 2026-08-19), and assumes a minute for a time lock
 * without an end.
 */
import { type Json, mexAnswer, mexData, mexQuestion } from '../socket/mex.ts';
import { type BinaryNode, getBinaryNodeChild } from '../library/nodes.ts';
import type { Socket } from '../socket/socket.ts';
import type { QueryIds } from '../socket/query.ts';
import { type AccountLimits, type NewChatCap, noLimits } from '../../domain/account-limits.ts';
import type { Clock } from '../../domain/clock.ts';

export interface KnownLimits {
  limits: AccountLimits;
  askedAt: number | null;
}

export const unknownLimits = (): KnownLimits => ({ limits: noLimits, askedAt: null });

const hourMs = 3_600_000;
const againMs = 60_000;
const answerMs = 5_000;
const lockWithoutEndMs = 60_000;
const capTypes = ['INDIVIDUAL_NEW_CHAT_THREAD', 'INDIVIDUAL_NEW_CHAT_MSG'];
/** The end of the year 9999, in seconds; later values are invalid. */
const lastSecond = 253_402_300_799;

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

export const capIn = (answer: Json): NewChatCap | null => {
  const limit = numberIn(answer['total_quota']);
  const reached = answer['capping_status'] === 'CAPPED';
  if (!reached && (limit === null || limit === 0)) return null;
  return { used: numberIn(answer['used_quota']), limit, resetsAt: momentIn(answer['cycle_end_timestamp']), reached };
};

const lockQuestion = ({ timeLock }: QueryIds): BinaryNode => mexQuestion(timeLock, {});
const capQuestion = ({ newChatCap }: QueryIds, type: string): BinaryNode =>
  mexQuestion(newChatCap, { input: { type } });

export interface LimitsParts {
  readonly sock: Pick<Socket, 'askTogether' | 'on'>;
  readonly queryIds: QueryIds;
  readonly known: KnownLimits;
  readonly clock: Clock;
  readonly tell: (limits: AccountLimits) => void;
}

export class Limits {
  readonly #parts: LimitsParts;
  #asking: Promise<boolean> | null = null;
  #hasAnswer = false;

  constructor(parts: LimitsParts) {
    this.#parts = parts;
    parts.sock.on('open', () => void this.#atLogin());
  }

  async notice(node: BinaryNode): Promise<void> {
    const update = getBinaryNodeChild(node, 'update');
    const lock = mexData(update, 'xwa2_notify_account_reachout_timelock');
    const cap = mexData(update, 'xwa2_notify_new_chat_messages_capping_info_update');
    if (lock === null && cap === null) return;
    // It has waited: an answer of this connection is newer.
    if (node.attrs['offline'] !== undefined && (this.#hasAnswer || (await this.#askNow()))) return;
    if (lock !== null) this.#learn({ lockedUntil: lockIn(lock, this.#parts.clock.now()) });
    if (cap !== null) this.#learn({ newChats: capIn(cap) });
  }

  get known(): AccountLimits {
    return this.#parts.known.limits;
  }

  /** After a refusal: true once the current limits are known, from a recent or new query. */
  async ask(): Promise<boolean> {
    const { known, clock } = this.#parts;
    if (known.askedAt !== null && clock.now() - known.askedAt < againMs) return true;
    return this.#askNow();
  }

  #askNow(): Promise<boolean> {
    this.#asking ??= this.#ask().finally(() => (this.#asking = null));
    return this.#asking;
  }

  async #atLogin(): Promise<void> {
    const { known, clock } = this.#parts;
    if (known.askedAt === null || clock.now() - known.askedAt >= hourMs) await this.ask();
  }

  async #ask(): Promise<boolean> {
    const { known, clock, sock, queryIds } = this.#parts;
    const [first = '', second = ''] = capTypes;
    const [lockAnswer = null, capAnswer = null] = await sock.askTogether(
      [lockQuestion(queryIds), capQuestion(queryIds, first)],
      answerMs,
    );
    const lock = mexAnswer(lockAnswer, 'xwa2_fetch_account_reachout_timelock');
    const name = 'xwa2_message_capping_info';
    let cap = mexAnswer(capAnswer, name);
    if (cap === null && capAnswer !== null) {
      const [again = null] = await sock.askTogether([capQuestion(queryIds, second)], answerMs);
      cap = mexAnswer(again, name);
    }
    if (lock === null && cap === null) return false;
    const now = clock.now();
    known.askedAt = now;
    this.#hasAnswer = true;
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
