/** `Idempotency-Key`: one effect per key, even after a crash or a lost connection (docs/spec/http-interface.md, Idempotency). */
import { randomUUID } from 'node:crypto';
import { LeaseLost } from '../../domain/lease.ts';
import type { SendAttempt } from '../../domain/messages/outgoing.ts';
import { HandsetError, idempotencyKeyReused, mayHaveBeenSent, messageOf, requestRunning } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import { believedTime } from '../time/deadline.ts';

export interface Idempotency {
  readonly key: string;
  readonly fingerprint: string;
}

type Send = (attempt: SendAttempt) => Promise<void>;
type IsDone = (messageId: string) => Promise<boolean>;

interface Act {
  readonly send: Send;
  readonly isDone: IsDone;
}

type Parts = Pick<LiveParts, 'stores' | 'network' | 'clock' | 'log'>;

/** Errors after which nothing was made. */
const certain: ReadonlySet<string> = new Set([
  'InvalidRequest',
  'NotFound',
  'DeviceNotFound',
  'DeviceNotAuthenticated',
]);

const madeNothing = (error: unknown): boolean => error instanceof HandsetError && certain.has(error.name);

/** The network's clock may be behind. */
const clockSkewMs = 60_000;

/** Whether what the network made at that time may be what the run made that began at `since`. */
export const isSince = (at: number | null, since: number): boolean => (at ?? 0) >= since - clockSkewMs;

export class SendOnce {
  readonly #parts: Parts;
  /** Distrusts a clock that jumps ahead by a day, which would forget all keys. */
  readonly #now: () => number;
  /** Keys whose first request runs in this process, with its fingerprint. */
  readonly #running = new Map<string, string>();
  /** Sends by device and message id: another node that asks again for a running one gets its outcome. */
  readonly #sending = new Map<string, Promise<string>>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#now = believedTime(parts.clock);
  }

  /** Sends under the key's message id, unless it was accepted before (or all its parts: `isDone`). `attempt`: of a forwarded request. */
  async run(
    deviceId: number,
    given: Idempotency | undefined,
    send: Send,
    attempt?: SendAttempt,
    isDone: IsDone = (messageId) => this.#accepted(deviceId, messageId),
  ): Promise<{ readonly messageId: string }> {
    const first = attempt ?? { messageId: this.#parts.network.newMessageId(), isRepeat: false };
    const { messageId } = first;
    if (given === undefined && attempt === undefined) {
      await send(first);
      return { messageId };
    }
    const name = `${deviceId} ${messageId}`;
    const running = this.#sending.get(name);
    if (running !== undefined) return { messageId: await running };
    const sending = this.#start(deviceId, given, { send, isDone }, first).finally(() => this.#sending.delete(name));
    this.#sending.set(name, sending);
    return { messageId: await sending };
  }

  /** Makes something other than a message, or returns what was made. `since`: when an earlier run began that may have made it. */
  async make<T>(
    deviceId: number,
    given: Idempotency | undefined,
    make: (name: string, since: number | null) => Promise<T>,
    attempt?: SendAttempt,
  ): Promise<T> {
    const freshId = attempt?.messageId ?? this.#parts.network.newMessageId();
    // The start of a request that came from another node is unknown.
    const before = attempt?.isRepeat === true ? 0 : null;
    if (given === undefined) return make(freshId, before);
    return this.#alone(deviceId, given, async () => {
      const claim = await this.#claim(deviceId, given, freshId);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the fingerprint names the operation, whose answer it is
      if (claim.kind === 'done') return claim.answer as T;
      const since = claim.kind === 'resume' ? claim.startedAt : before;
      const made = await this.#attempt(deviceId, given, claim, madeNothing, (name) => make(name, since));
      await this.#finish(deviceId, given.key, made);
      return made;
    });
  }

  async #start(deviceId: number, given: Idempotency | undefined, act: Act, attempt: SendAttempt): Promise<string> {
    if (given !== undefined) return this.#alone(deviceId, given, () => this.#claimed(deviceId, given, attempt, act));
    await act.send(attempt);
    return attempt.messageId;
  }

  async #alone<T>(deviceId: number, given: Idempotency, run: () => Promise<T>): Promise<T> {
    const name = `${deviceId} ${given.key}`;
    const running = this.#running.get(name);
    if (running !== undefined) throw running === given.fingerprint ? requestRunning() : idempotencyKeyReused();
    this.#running.set(name, given.fingerprint);
    try {
      return await run();
    } finally {
      this.#running.delete(name);
    }
  }

  async #claim(deviceId: number, given: Idempotency, messageId: string) {
    // Every attempt is a run of its own: an open record that is not running here was interrupted.
    const runId = randomUUID();
    const claim = await this.#parts.stores.idempotency.begin({
      deviceId,
      ...given,
      messageId,
      runId,
      now: this.#now(),
    });
    if (claim.kind === 'mismatch') throw idempotencyKeyReused();
    if (claim.kind === 'running') throw requestRunning();
    return { ...claim, runId };
  }

  async #claimed(deviceId: number, given: Idempotency, attempt: SendAttempt, { send, isDone }: Act): Promise<string> {
    const claim = await this.#claim(deviceId, given, attempt.messageId);
    const { kind, messageId } = claim;
    if (kind === 'done') return messageId;
    if (kind === 'new' || !(await isDone(messageId))) {
      const isRepeat = kind === 'resume' || attempt.isRepeat;
      const act = (): Promise<void> => send({ messageId, isRepeat });
      await this.#attempt(deviceId, given, claim, (error) => !mayHaveBeenSent(error), act);
    }
    // Not awaited: until it is written, a repeat finds the message itself (`#accepted`).
    void this.#finish(deviceId, given.key);
    return messageId;
  }

  /** Releases the key after an error that certainly had no effect. */
  async #attempt<T>(
    deviceId: number,
    { key }: Idempotency,
    { kind, messageId, runId }: { readonly kind: string; readonly messageId: string; readonly runId: string },
    isSafe: (error: unknown) => boolean,
    act: (messageId: string) => Promise<T>,
  ): Promise<T> {
    try {
      return await act(messageId);
    } catch (error) {
      // A resumed request may have reached the network in its first run, so its record stays, as it does when the device moves.
      const stays = kind !== 'new' || error instanceof LeaseLost || !isSafe(error);
      if (!stays) await this.#parts.stores.idempotency.abandon(deviceId, key, runId);
      throw error;
    }
  }

  /** For a crash between the network's ack and the end of the record. */
  async #accepted(deviceId: number, messageId: string): Promise<boolean> {
    const record = await this.#parts.stores.messages.find(deviceId, messageId);
    return record !== null && record.acceptedAt !== null;
  }

  /** The message is sent: a failure here does not concern the caller. */
  async #finish(deviceId: number, key: string, answer?: unknown): Promise<void> {
    try {
      await this.#parts.stores.idempotency.finish(deviceId, key, answer);
    } catch (error) {
      this.#parts.log.error({ deviceId, reason: messageOf(error) }, 'could not finish an idempotency record');
    }
  }
}
