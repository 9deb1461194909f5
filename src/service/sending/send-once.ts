/** `Idempotency-Key`: one message for one key, also when a crash or a lost link leaves the first run open (docs/spec/http-interface.md, Idempotency). */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../domain/clock.ts';
import { LeaseLost } from '../../domain/lease.ts';
import type { IdempotencyStore } from '../../domain/messages/idempotency.ts';
import type { MessageStore } from '../../domain/stores.ts';
import { HandsetError, invalidRequest, mayHaveBeenSent, messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { believedTime } from '../believed-time.ts';

export interface Idempotency {
  readonly key: string;
  /** Hash of the request's body and route. */
  readonly fingerprint: string;
}

interface Parts {
  readonly idempotency: IdempotencyStore;
  readonly messages: MessageStore;
  readonly newMessageId: () => string;
  readonly clock: Clock;
  readonly log: Logger;
}

const otherBody = (): HandsetError => invalidRequest('Idempotency-Key was used before with another request');

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
   * Calls `send` with the id that the message is to have, unless the key's message was accepted already. `messageId`: that of an
   * earlier try, maybe on another node.
   */
  async run(
    deviceId: number,
    given: Idempotency | undefined,
    send: (messageId: string) => Promise<void>,
    messageId = this.#parts.newMessageId(),
  ): Promise<{ readonly messageId: string }> {
    const name = `${deviceId} ${messageId}`;
    const running = this.#sending.get(name);
    if (running !== undefined) return { messageId: await running };
    const sending = this.#start(deviceId, given, send, messageId).finally(() => this.#sending.delete(name));
    this.#sending.set(name, sending);
    return { messageId: await sending };
  }

  async #start(
    deviceId: number,
    given: Idempotency | undefined,
    send: (messageId: string) => Promise<void>,
    messageId: string,
  ): Promise<string> {
    if (given !== undefined) return this.#keyed(deviceId, given, messageId, send);
    await send(messageId);
    return messageId;
  }

  async #keyed(
    deviceId: number,
    given: Idempotency,
    wished: string,
    send: (messageId: string) => Promise<void>,
  ): Promise<string> {
    const name = `${deviceId} ${given.key}`;
    const running = this.#running.get(name);
    if (running !== undefined && running !== given.fingerprint) throw otherBody();
    if (running !== undefined) {
      throw new HandsetError('Conflict', 'A request with this Idempotency-Key is still running');
    }
    this.#running.set(name, given.fingerprint);
    try {
      return await this.#claimed(deviceId, given, wished, send);
    } finally {
      this.#running.delete(name);
    }
  }

  async #claimed(
    deviceId: number,
    given: Idempotency,
    wished: string,
    send: (messageId: string) => Promise<void>,
  ): Promise<string> {
    const { idempotency } = this.#parts;
    // Every attempt is a run of its own: what is running now is known above, and an open record is one that was cut off.
    const runId = randomUUID();
    const claim = await idempotency.begin({ deviceId, ...given, messageId: wished, runId, now: this.#now() });
    if (claim.kind === 'mismatch') throw otherBody();
    if (claim.kind === 'running') {
      throw new HandsetError('Conflict', 'A request with this Idempotency-Key is still running');
    }
    const { kind, messageId } = claim;
    if (kind === 'done') return messageId;
    if (kind === 'new' || !(await this.#accepted(deviceId, messageId))) {
      try {
        await send(messageId);
      } catch (error) {
        // A resumed one may have reached the network in its first run: its record stays in any case, as it does when the device moves.
        const stays = kind !== 'new' || error instanceof LeaseLost || mayHaveBeenSent(error);
        if (!stays) await idempotency.abandon(deviceId, given.key, runId);
        throw error;
      }
    }
    // Nobody waits for it: until it is written, a repeat finds the message itself (`#accepted`).
    void this.#finish(deviceId, given.key);
    return messageId;
  }

  /** The crash came between the network's ack and the end of the record. */
  async #accepted(deviceId: number, messageId: string): Promise<boolean> {
    const record = await this.#parts.messages.find(deviceId, messageId);
    return record !== null && record.acceptedAt !== null;
  }

  /** The message is out: a failure here is nothing to the caller. */
  async #finish(deviceId: number, key: string): Promise<void> {
    try {
      await this.#parts.idempotency.finish(deviceId, key);
    } catch (error) {
      this.#parts.log.error({ deviceId, reason: messageOf(error) }, 'could not finish an idempotency record');
    }
  }
}
