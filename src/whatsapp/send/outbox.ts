/**
 * A device's outgoing messages, in order. Waiting messages to persons leave together: all ratchets and `pending` records in one
 * transaction, then all frames in one write. A group message leaves by itself (`group-sends.ts`).
 */
import { setImmediate } from 'node:timers/promises';
import type { BinaryNode } from '../library/nodes.ts';
import { type proto, writeRandomPadMax16 } from '../library/proto.ts';
import type { Socket } from '../socket/socket.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Jid } from '../../domain/jid.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { Logger } from '../../log.ts';
import { HandsetError, isUnavailable } from '../../errors.ts';
import { type Addressing, type DeviceLists, type FanOut, fanOutOf } from '../identity/addressing.ts';
import type { Line } from '../socket/line.ts';
import type { GroupSends } from './group-sends.ts';
import type { Distribution } from './sender-keys.ts';
import { encryptForDevices } from './encrypt-for-devices.ts';
import type { BeginSessions } from './key-bundles.ts';
import { forOwnDevices, messageStanza } from './message-stanza.ts';
import type { PrivacyTokens } from '../identity/privacy-tokens.ts';
import type { SessionStore } from '../state/session-store.ts';
import type { SignalMessage } from '../signal/bridge.ts';
import type { DevicePlaintext, EncryptBatch } from '../signal/batches.ts';

export interface OutboundMessage {
  readonly to: Jid;
  readonly message: proto.IMessage;
  readonly record: MessageRecord & { readonly content: Uint8Array };
  /** False: to be written with the ratchets. */
  stored: boolean;
  /** Stored by an earlier attempt, which may have reached somebody. */
  readonly isRepeat?: boolean;
  /** The network has refused the recipient's LID. */
  byPhone?: boolean;
  sentTo?: FanOut;
  distribution?: Distribution;
}

export interface DeparturesParts {
  readonly deviceId: number;
  readonly sock: Pick<Socket, 'creds' | 'isOpen'>;
  readonly line: Pick<Line, 'send'>;
  readonly store: SessionStore;
  readonly tokens: PrivacyTokens;
  readonly addressing: Addressing;
  readonly devices: DeviceLists;
  readonly encrypt: EncryptBatch;
  readonly beginSessions: BeginSessions;
  readonly groupSends: Pick<GroupSends, 'prepare'>;
  readonly log: Logger;
}

interface Ready<M = OutboundMessage> {
  readonly outbound: M;
  readonly left: () => void;
  readonly failed: (error: unknown) => void;
}

interface Queued<M> {
  outbound: M | null;
  readonly until: number;
  readonly ready: Promise<void>;
  readonly left: () => void;
  readonly failed: (error: unknown) => void;
}

interface Addressed extends Ready {
  readonly fanOut: FanOut;
  readonly plaintexts: readonly DevicePlaintext[];
}

interface Encrypted extends Addressed {
  readonly encrypted: readonly { readonly jid: string; readonly payload: SignalMessage }[];
}

/** `payloads`: in the order of the plaintexts; null for a device it could not be encrypted for. Null: no device of the recipient is reached. */
const encryptedFor = (addressed: Addressed, payloads: readonly (SignalMessage | null)[]): Encrypted | null => {
  const { own, recipients } = addressed.fanOut;
  const encrypted: { jid: string; payload: SignalMessage }[] = [];
  let isReached = false;
  for (const [index, { jid }] of addressed.plaintexts.entries()) {
    const payload = payloads[index];
    if (!payload) continue;
    encrypted.push({ jid, payload });
    isReached ||= recipients.length === 0 || index >= own.length;
  }
  return isReached ? { ...addressed, encrypted } : null;
};

/** Batch cap, so that one device cannot block the event loop. */
const maxBatch = 32;

/** Separates what leaves in a batch from what leaves by itself. */
interface Leaving {
  readonly record: Pick<MessageRecord, 'isGroup' | 'acceptedAt'>;
}

/** The caller has stopped waiting, so nothing is stored. */
export class LeftTooLate extends HandsetError {
  constructor() {
    super('RequestTimeout', 'Request timeout');
  }
}

export type Depart<M> = (batch: readonly Ready<M>[]) => Promise<void>;

export class Outbox<M extends Leaving> {
  readonly #depart: Depart<M>;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #queue: Queued<M>[] = [];
  #running = false;

  constructor(depart: Depart<M>, clock: Pick<Clock, 'now'>) {
    this.#depart = depart;
    this.#clock = clock;
  }

  /** Queues the message before it is prepared; resolves once it was handed to the connection. Rejects with LeftTooLate after `until` (ms). */
  post(preparing: Promise<M>, until = Infinity): Promise<void> {
    const { promise, resolve: left, reject: failed } = Promise.withResolvers<void>();
    const ready = preparing.then(
      (outbound) => (outbound.record.acceptedAt === null ? void (queued.outbound = outbound) : left()),
      failed,
    );
    const queued: Queued<M> = { outbound: null, until, ready, left, failed };
    this.#queue.push(queued);
    if (!this.#running) void this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    this.#running = true;
    // Messages of one turn of the event loop share a batch.
    await setImmediate();
    while (this.#queue.length > 0) {
      await this.#queue[0]!.ready;
      const batch = this.#nextBatch();
      try {
        if (batch.length > 0) await this.#depart(batch);
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.#running = false;
  }

  /** The ready messages at the front, a group message alone; empty if the first is not ready. */
  #nextBatch(): Ready<M>[] {
    const batch: Ready<M>[] = [];
    const now = this.#clock.now();
    let taken = 0;
    for (const { outbound, until, left, failed } of this.#queue) {
      if (outbound === null || batch.length === maxBatch) break;
      if (until <= now) failed(new LeftTooLate());
      else {
        if (batch.length > 0 && outbound.record.isGroup) break;
        batch.push({ outbound, left, failed });
      }
      taken += 1;
      if (outbound.record.isGroup) break;
    }
    this.#queue.splice(0, Math.max(taken, 1));
    return batch;
  }
}

const connectionIsClosed = (): Error => new Error('the connection is closed');

export class Departures {
  readonly #parts: DeparturesParts;

  constructor(parts: DeparturesParts) {
    this.#parts = parts;
  }

  readonly depart: Depart<OutboundMessage> = async (batch) => {
    if (!this.#parts.sock.isOpen) throw connectionIsClosed();
    if (batch[0]!.outbound.record.isGroup) return this.#sendToGroup(batch[0]!);
    const addressed: Addressed[] = [];
    for (const ready of batch) {
      try {
        addressed.push(await this.#address(ready));
      } catch (error) {
        ready.failed(error);
      }
    }
    if (addressed.length > 0) await this.#sendBatch(addressed);
  };

  async #sendToGroup({ outbound, left }: Ready): Promise<void> {
    const stanza = await this.#parts.groupSends.prepare(outbound);
    if (!this.#parts.sock.isOpen) throw connectionIsClosed();
    this.#parts.line.send([stanza]);
    left();
  }

  async #address(ready: Ready): Promise<Addressed> {
    const { addressing, devices } = this.#parts;
    const { to, message, record, byPhone = false } = ready.outbound;
    const fanOut = await fanOutOf(addressing, devices, to, byPhone);
    const plaintexts: DevicePlaintext[] = [];
    if (fanOut.own.length > 0) {
      const forOwn = forOwnDevices(fanOut.wire.to, message);
      for (const jid of fanOut.own) plaintexts.push({ jid, plaintext: writeRandomPadMax16(forOwn) });
    }
    for (const jid of fanOut.recipients) plaintexts.push({ jid, plaintext: writeRandomPadMax16(record.content) });
    return { ...ready, fanOut, plaintexts };
  }

  async #sendBatch(batch: readonly Addressed[]): Promise<void> {
    const { deviceId, sock, line, tokens, log } = this.#parts;
    const plaintexts: DevicePlaintext[] = [];
    const messages: MessageRecord[] = [];
    for (const { outbound, plaintexts: own } of batch) {
      plaintexts.push(...own);
      if (!outbound.stored) messages.push(outbound.record);
    }
    let encrypted: readonly (SignalMessage | null)[];
    try {
      encrypted = await encryptForDevices(this.#parts, plaintexts, { messages });
    } catch (error) {
      if (batch.length === 1 || isUnavailable(error)) throw error;
      // One recipient whose keys cannot be fetched must not fail the others.
      for (const each of batch) await this.#sendBatch([each]).catch(each.failed);
      return;
    }
    for (const { outbound } of batch) outbound.stored = true;
    const stanzas: BinaryNode[] = [];
    const leaving: Addressed[] = [];
    let [at, leftOut] = [0, 0];
    for (const addressed of batch) {
      const payloads = encrypted.slice(at, (at += addressed.plaintexts.length));
      const sent = encryptedFor(addressed, payloads) ?? (await this.#encryptAgain(addressed));
      if (sent === null) continue;
      const { outbound, fanOut } = sent;
      const { record, message } = outbound;
      outbound.sentTo = fanOut;
      const token = await tokens.nodeFor(fanOut.wire.to);
      const envelope = { id: record.id, wire: fanOut.wire, message, bytes: record.content, token };
      stanzas.push(await messageStanza(sock.creds, { ...envelope, encrypted: sent.encrypted }));
      leaving.push(sent);
      leftOut += sent.plaintexts.length - sent.encrypted.length;
    }
    if (leftOut > 0) log.warn({ deviceId, devices: leftOut }, 'messages leave without some devices');
    if (!this.#parts.sock.isOpen) throw connectionIsClosed();
    line.send(stanzas);
    for (const { left, fanOut } of leaving) {
      left();
      tokens.give(fanOut.wire.to);
    }
  }

  /** Encrypts for the current devices: the list may have been outdated (`key-bundles.ts`). */
  async #encryptAgain(first: Addressed): Promise<Encrypted | null> {
    const { encrypt, beginSessions } = this.#parts;
    try {
      const addressed = await this.#address(first);
      const { recipients, own } = addressed.fanOut;
      await beginSessions(recipients.length === 0 ? own : recipients).catch(() => undefined);
      const { encrypted } = await encrypt(addressed.plaintexts, {}, true);
      const second = encryptedFor(addressed, encrypted);
      if (second === null) throw new Error('the message could be encrypted for no device of the recipient');
      return second;
    } catch (error) {
      first.failed(error);
      return null;
    }
  }
}
