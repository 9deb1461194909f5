/**
 * What a device sends, in order. Messages to persons that wait at the same time go together: all ratchets and all `pending`
 * records in one transaction, and after it all frames in one write. Groups go by Baileys' own way.
 */
import { setImmediate } from 'node:timers/promises';
import type { BinaryNode } from '../engine/nodes.ts';
import type { proto } from '../engine/proto.ts';
import type { WASocket } from '../engine/types.ts';
import type { Jid } from '../../domain/jid.ts';
import { LeaseLost } from '../../domain/lease.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { SendOutcomeUnknown } from '../../errors.ts';
import { meOf } from '../login/account.ts';
import type { Addressing } from '../identity/addressing.ts';
import { deviceJid, type DeviceLists } from '../identity/device-lists.ts';
import { type FanOut, FanOuts } from '../identity/fan-out.ts';
import type { Line } from '../engine/line/line.ts';
import { forOwnDevices, messageStanza, padded } from './message-stanza.ts';
import type { PrivacyTokens } from '../identity/privacy-tokens.ts';
import type { SessionStore } from '../login/session-store.ts';
import type { Open, Sealed, SealTogether } from '../signal/outward.ts';

export interface Letter {
  readonly to: Jid;
  readonly message: proto.IMessage;
  /** With the message as bytes. */
  readonly record: MessageRecord & { readonly content: Uint8Array };
  /** Whether the record is in the store: written with the ratchets, where it is not. */
  stored: boolean;
  /** The network has refused it at the recipient's LID. */
  byPhone?: boolean;
  /** Whom it has left for. */
  sentTo?: FanOut;
}

export interface OutboxParts {
  readonly deviceId: number;
  readonly sock: WASocket;
  readonly line: Pick<Line, 'send'>;
  readonly store: SessionStore;
  readonly tokens: PrivacyTokens;
  readonly addressing: Addressing;
  readonly devices: DeviceLists;
  readonly seal: SealTogether;
  /** Sets up sessions with devices, as far as the network gives their keys. */
  readonly beginSessions: (jids: readonly string[]) => Promise<void>;
  /** By the addresses of the group's own mode. */
  readonly groupMembers: (group: Jid) => Promise<readonly Jid[]>;
}

interface Place {
  /** Null while it is not ready, or when it never will be. */
  letter: Letter | null;
  /** Never rejects; null where it is ready. */
  ready: Promise<void> | null;
  readonly left: () => void;
  readonly failed: (error: unknown) => void;
}

interface Posted extends Place {
  readonly letter: Letter;
}

interface Addressed extends Posted {
  readonly fanOut: FanOut;
  readonly open: readonly Open[];
}

/** So many messages share a transaction at most: the event loop gets its turn. */
const mostTogether = 32;

const isGroup = ({ letter }: Posted): boolean => letter.record.isGroup;

const isReady = (place: Place | undefined): place is Posted => place !== undefined && place.letter !== null;

export class Outbox {
  readonly #parts: OutboxParts;
  readonly #waiting: Place[] = [];
  #running = false;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /**
   * Takes its place in the order at once, though an image may still be on its way to the media host; resolves when the
   * message has been handed to the connection. Rejects with what `given` rejects with, too.
   */
  post(given: Letter | Promise<Letter>): Promise<void> {
    const { promise, resolve: left, reject: failed } = Promise.withResolvers<void>();
    const place: Place = { letter: null, ready: null, left, failed };
    if (given instanceof Promise) place.ready = given.then((letter) => void (place.letter = letter), failed);
    else place.letter = given;
    this.#waiting.push(place);
    if (!this.#running) void this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    this.#running = true;
    // What comes in one turn of the event loop goes together.
    await setImmediate();
    while (this.#waiting.length > 0) {
      const { ready } = this.#waiting[0]!;
      if (ready !== null) await ready;
      const batch = this.#next();
      try {
        if (batch.length > 0) await this.#send(batch);
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.#running = false;
  }

  /** Those at the front that are ready; none when the first one will never be. */
  #next(): Posted[] {
    const batch: Posted[] = [];
    for (let next = this.#waiting[0]; isReady(next) && batch.length < mostTogether; next = this.#waiting[0]) {
      // A message to a group goes by itself.
      if (batch.length > 0 && isGroup(next)) return batch;
      this.#waiting.shift();
      batch.push(next);
      if (isGroup(next)) return batch;
    }
    if (batch.length === 0) this.#waiting.shift();
    return batch;
  }

  async #send(batch: readonly Posted[]): Promise<void> {
    this.#assertOpen();
    if (isGroup(batch[0]!)) return this.#byEngine(batch[0]!);
    const addressed: Addressed[] = [];
    const fanOuts = new FanOuts(this.#parts.addressing, this.#parts.devices);
    for (const posted of batch) {
      try {
        addressed.push(await address(posted, fanOuts));
      } catch (error) {
        posted.failed(error);
      }
    }
    if (addressed.length > 0) await this.#together(addressed);
  }

  async #byEngine({ letter, left }: Posted): Promise<void> {
    const { deviceId, sock, store } = this.#parts;
    if (!letter.stored) await store.commit(deviceId, { messages: [letter.record] });
    letter.stored = true;
    // The engine finds the lists where it looks for them, and asks for none itself: with each answer it would begin new sessions.
    letter.sentTo = await this.#groupFanOut(letter.to);
    try {
      await sock.relayMessage(letter.to, letter.message, { messageId: letter.record.id });
    } catch (error) {
      // The engine writes what it keeps of the group when the frame has left: another id would make it a second message.
      if (!store.broken || error instanceof LeaseLost) throw error;
      throw new SendOutcomeUnknown('what belongs to a message could not be written', { cause: error });
    }
    left();
  }

  async #groupFanOut(group: Jid): Promise<FanOut> {
    const { creds } = this.#parts.sock.authState;
    const members = await this.#parts.groupMembers(group);
    const lists = await this.#parts.devices.of(members);
    const { phone, lid } = meOf(creds);
    const own = members.some((member) => member.endsWith('@lid')) && lid !== null ? lid : phone;
    return { wire: { to: group, peerPhone: null, own }, own: [], recipients: lists.flat().map(deviceJid) };
  }

  async #together(batch: readonly Addressed[]): Promise<void> {
    const { line, seal, beginSessions } = this.#parts;
    const open = batch.flatMap((each) => each.open);
    const messages = batch.filter(({ letter }) => !letter.stored).map(({ letter }) => letter.record);
    let sealing = await seal(open, { messages }, false);
    if (sealing.missing.length > 0) {
      try {
        await beginSessions(sealing.missing);
      } catch (error) {
        if (batch.length === 1) throw error;
        // Whoever it fails for is not to take the others along.
        for (const each of batch) await this.#together([each]).catch(each.failed);
        return;
      }
      sealing = await seal(open, { messages }, true);
    }
    for (const { letter } of batch) letter.stored = true;
    const frames = await this.#frames(batch, sealing.sealed);
    this.#assertOpen();
    line.send(frames.map(({ stanza }) => stanza));
    for (const { posted } of frames) {
      posted.left();
      this.#parts.tokens.give(posted.fanOut.wire.to);
    }
  }

  async #frames(
    batch: readonly Addressed[],
    sealed: readonly (Sealed | null)[],
  ): Promise<{ readonly posted: Addressed; readonly stanza: BinaryNode }[]> {
    const { sock, tokens } = this.#parts;
    const frames: { posted: Addressed; stanza: BinaryNode }[] = [];
    let at = 0;
    for (const posted of batch) {
      const { letter, fanOut } = posted;
      const { to } = fanOut.wire;
      const { message, record } = letter;
      const first = at;
      const reached = posted.open.flatMap(({ jid }) => {
        const one = sealed[at++];
        return one ? [{ jid, sealed: one }] : [];
      });
      if (!isReached(posted, sealed, first)) {
        posted.failed(new Error('the message could be encrypted for no device of the recipient'));
        continue;
      }
      const known = tokens.nodeFor(to);
      const token = known instanceof Promise ? await known : known;
      const envelope = { id: record.id, wire: fanOut.wire, message, bytes: record.content, sealed: reached, token };
      const stanza = messageStanza(sock.authState.creds, envelope);
      letter.sentTo = fanOut;
      frames.push({ posted, stanza: stanza instanceof Promise ? await stanza : stanza });
    }
    return frames;
  }

  #assertOpen(): void {
    if (!this.#parts.sock.ws.isOpen) throw new Error('the connection is closed');
  }
}

/** Plaintext for each device: the account's other devices first, then the recipient's. */
const address = async (posted: Posted, fanOuts: FanOuts): Promise<Addressed> => {
  const { to, message, record, byPhone = false } = posted.letter;
  const fanOut = await fanOuts.of(to, byPhone);
  const { own, recipients, wire } = fanOut;
  const forOwn = own.length === 0 ? null : forOwnDevices(wire.to, message, record.content);
  const open = [
    ...own.map((jid) => ({ jid, plaintext: padded(forOwn!) })),
    ...recipients.map((jid) => ({ jid, plaintext: padded(record.content) })),
  ];
  return { ...posted, fanOut, open };
};

/** Whether a device of the recipient gets it, or one of the own account where it is a message to oneself; `first`: where its own begin in `sealed`. */
const isReached = ({ fanOut, open }: Addressed, sealed: readonly (Sealed | null)[], first: number): boolean => {
  const wanted = first + (fanOut.recipients.length > 0 ? fanOut.own.length : 0);
  return sealed.slice(wanted, first + open.length).some((one) => one !== null);
};
