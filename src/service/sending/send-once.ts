/** `Idempotency-Key`: one message, or one other thing, for one key, also when a crash or a lost link leaves the first run open (docs/spec/http-interface.md, Idempotency). */
import { randomUUID } from 'node:crypto';
import { LeaseLost } from '../../domain/lease.ts';
import type { SendAttempt } from '../../domain/messages/outgoing.ts';
import { HandsetError, invalidRequest, mayHaveBeenSent, messageOf } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import { believedTime } from '../time/believed-time.ts';

export interface Idempotency {
  readonly key: string;
  /** Hash of the request's body and route. */
  readonly fingerprint: string;
}

type Parts = Pick<LiveParts, 'stores' | 'network' | 'clock' | 'log'>;

const otherBody = (): HandsetError =>
  invalidRequest('Idempotency-Key was used before with another request', 'idempotency_key_reused');

const stillRunning = (): HandsetError =>
  new HandsetError('Conflict', 'A request with this Idempotency-Key is still running', { reason: 'request_running' });

/** Errors after which nothing was made. */
const certain: ReadonlySet<string> = new Set([
  'InvalidRequest',
  'NotFound',
  'DeviceNotFound',
  'DeviceNotAuthenticated',
]);

const madeNothing = (error: unknown): boolean => error instanceof HandsetError && certain.has(error.name);

export class SendOnce {
  readonly #parts: Parts;
  /** A clock that jumps ahead by a day must not make all keys new. */
  readonly #now: () => number;
  /** Keys whose first request is running in this process, with its fingerprint. */
  readonly #running = new Map<string, string>();
  /** Sends by device and message id: another node that asks again for one that is still running gets its outcome. */
  readonly #sending = new Map<string, Promise<string>>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#now = believedTime(parts.clock);
  }

  /**
   * Calls `send` with the id that the message is to have, unless the key's message was accepted already. `attempt`: of a request that may go from
   * node to node.
   */
  async run(
    deviceId: number,
    given: Idempotency | undefined,
    send: (attempt: SendAttempt) => Promise<void>,
    attempt?: SendAttempt,
  ): Promise<{ readonly messageId: string }> {
    const first = attempt ?? { messageId: this.#parts.network.newMessageId(), isRepeat: false };
    const { messageId } = first;
    if (given === undefined && attempt === undefined) {
      // Nobody else knows an id that is made here.
      await send(first);
      return { messageId };
    }
    const name = `${deviceId} ${messageId}`;
    const running = this.#sending.get(name);
    if (running !== undefined) return { messageId: await running };
    const sending = this.#start(deviceId, given, send, first).finally(() => this.#sending.delete(name));
    this.#sending.set(name, sending);
    return { messageId: await sending };
  }

  /**
   * Makes something other than a message, and answers again what was made then. `since`: when an earlier run under this name began that
   * may have made it.
   */
  async make<T>(
    deviceId: number,
    given: Idempotency | undefined,
    make: (name: string, since: number | null) => Promise<T>,
  ): Promise<T> {
    const wished = this.#parts.network.newMessageId();
    if (given === undefined) return make(wished, null);
    return this.#alone(deviceId, given, async () => {
      const claim = await this.#claim(deviceId, given, wished);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the fingerprint names the operation, whose answer it is
      if (claim.kind === 'done') return claim.answer as T;
      const since = claim.kind === 'resume' ? claim.startedAt : null;
      const made = await this.#attempt(deviceId, given, claim, madeNothing, (name) => make(name, since));
      await this.#finish(deviceId, given.key, made);
      return made;
    });
  }

  async #start(
    deviceId: number,
    given: Idempotency | undefined,
    send: (attempt: SendAttempt) => Promise<void>,
    attempt: SendAttempt,
  ): Promise<string> {
    if (given !== undefined) return this.#alone(deviceId, given, () => this.#claimed(deviceId, given, attempt, send));
    await send(attempt);
    return attempt.messageId;
  }

  async #alone<T>(deviceId: number, given: Idempotency, run: () => Promise<T>): Promise<T> {
    const name = `${deviceId} ${given.key}`;
    const running = this.#running.get(name);
    if (running !== undefined) throw running === given.fingerprint ? stillRunning() : otherBody();
    this.#running.set(name, given.fingerprint);
    try {
      return await run();
    } finally {
      this.#running.delete(name);
    }
  }

  /** Throws while another request has the key, or had it with another body. */
  async #claim(deviceId: number, given: Idempotency, messageId: string) {
    // Every attempt is a run of its own: what is running now is known, and an open record is one that was cut off.
    const runId = randomUUID();
    const claim = await this.#parts.stores.idempotency.begin({
      deviceId,
      ...given,
      messageId,
      runId,
      now: this.#now(),
    });
    if (claim.kind === 'mismatch') throw otherBody();
    if (claim.kind === 'running') throw stillRunning();
    return { ...claim, runId };
  }

  async #claimed(
    deviceId: number,
    given: Idempotency,
    attempt: SendAttempt,
    send: (attempt: SendAttempt) => Promise<void>,
  ): Promise<string> {
    const claim = await this.#claim(deviceId, given, attempt.messageId);
    const { kind, messageId } = claim;
    if (kind === 'done') return messageId;
    if (kind === 'new' || !(await this.#accepted(deviceId, messageId))) {
      const isRepeat = kind === 'resume' || attempt.isRepeat;
      const act = (): Promise<void> => send({ messageId, isRepeat });
      await this.#attempt(deviceId, given, claim, (error) => !mayHaveBeenSent(error), act);
    }
    // Nobody waits for it: until it is written, a repeat finds the message itself (`#accepted`).
    void this.#finish(deviceId, given.key);
    return messageId;
  }

  /** Gives the key back after an error that certainly did nothing. */
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
      // A resumed one may have reached the network in its first run: its record stays in any case, as it does when the device moves.
      const stays = kind !== 'new' || error instanceof LeaseLost || !isSafe(error);
      if (!stays) await this.#parts.stores.idempotency.abandon(deviceId, key, runId);
      throw error;
    }
  }

  /** The crash came between the network's ack and the end of the record. */
  async #accepted(deviceId: number, messageId: string): Promise<boolean> {
    const record = await this.#parts.stores.messages.find(deviceId, messageId);
    return record !== null && record.acceptedAt !== null;
  }

  /** The message is out: a failure here is nothing to the caller. */
  async #finish(deviceId: number, key: string, answer?: unknown): Promise<void> {
    try {
      await this.#parts.stores.idempotency.finish(deviceId, key, answer);
    } catch (error) {
      this.#parts.log.error({ deviceId, reason: messageOf(error) }, 'could not finish an idempotency record');
    }
  }
}
