/**
 * What a device sends, in order. Messages to persons that wait at the same time go together: all ratchets and all `pending`
 * records in one transaction, and after it all frames in one write. Groups go by Baileys' own way.
 */
import { setImmediate } from 'node:timers/promises';
import { type BinaryNode, jidDecode, jidNormalizedUser, type proto, type WASocket } from 'baileys';
import type { Jid } from '../domain/jid.ts';
import { LeaseLost } from '../domain/lease.ts';
import type { MessageRecord } from '../domain/message.ts';
import { SendOutcomeUnknown } from '../errors.ts';
import type { Line } from './line/line.ts';
import { forOwnDevices, messageStanza, padded } from './message-stanza.ts';
import type { PrivacyTokens } from './privacy-tokens.ts';
import type { SessionStore } from './session-store.ts';
import type { Open, Sealed, SealTogether } from './signal/outward.ts';

export interface Letter {
  readonly to: Jid;
  readonly message: proto.IMessage;
  /** With the message as bytes. */
  readonly record: MessageRecord & { readonly content: Uint8Array };
  /** Whether the record is in the store: written with the ratchets, where it is not. */
  stored: boolean;
}

export interface OutboxParts {
  readonly deviceId: number;
  readonly sock: WASocket;
  readonly line: Pick<Line, 'send'>;
  readonly store: SessionStore;
  readonly tokens: PrivacyTokens;
  readonly seal: SealTogether;
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
  readonly open: readonly Open[];
}

/** So many messages share a transaction at most: the event loop gets its turn. */
const mostTogether = 32;

const isGroup = ({ letter }: Posted): boolean => letter.record.isGroup;

const isReady = (place: Place | undefined): place is Posted => place !== undefined && place.letter !== null;

type Device = Awaited<ReturnType<WASocket['getUSyncDevices']>>[number];

/** Asked once for each chat of a batch. */
class DevicesOf {
  readonly #sock: WASocket;
  readonly #known = new Map<string, readonly Device[]>();

  constructor(sock: WASocket) {
    this.#sock = sock;
  }

  /** Those of the sender, and those of the recipient. */
  async all(sender: string, to: string): Promise<readonly Device[]> {
    const name = `${sender} ${to}`;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const devices = await this.#sock.getUSyncDevices([sender, to], true, false);
    this.#known.set(name, devices);
    return devices;
  }
}

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
    const devices = new DevicesOf(this.#parts.sock);
    for (const posted of batch) {
      try {
        addressed.push({ ...posted, open: await this.#address(posted.letter, devices) });
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
    try {
      await sock.relayMessage(letter.to, letter.message, { messageId: letter.record.id });
    } catch (error) {
      // The engine writes what it keeps of the group when the frame has left: another id would make it a second message.
      if (!store.broken || error instanceof LeaseLost) throw error;
      throw new SendOutcomeUnknown('what belongs to a message could not be written', { cause: error });
    }
    left();
  }

  async #together(batch: readonly Addressed[]): Promise<void> {
    const { sock, line, seal } = this.#parts;
    const open = batch.flatMap((each) => each.open);
    const messages = batch.filter(({ letter }) => !letter.stored).map(({ letter }) => letter.record);
    let sealing = await seal(open, { messages }, false);
    if (sealing.missing.length > 0) {
      try {
        await sock.assertSessions([...sealing.missing], false);
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
      this.#parts.tokens.give(posted.letter.to);
    }
  }

  async #frames(
    batch: readonly Addressed[],
    sealed: readonly (Sealed | null)[],
  ): Promise<{ readonly posted: Posted; readonly stanza: BinaryNode }[]> {
    const { sock, tokens } = this.#parts;
    const frames: { posted: Posted; stanza: BinaryNode }[] = [];
    let at = 0;
    for (const posted of batch) {
      const { to, message, record } = posted.letter;
      const own: { jid: string; sealed: Sealed }[] = [];
      for (const { jid } of posted.open) {
        const one = sealed[at++];
        if (one) own.push({ jid, sealed: one });
      }
      if (own.length === 0) posted.failed(new Error('the message could be encrypted for no device'));
      else {
        const known = tokens.nodeFor(to);
        const token = known instanceof Promise ? await known : known;
        const envelope = { id: record.id, to, message, bytes: record.content, sealed: own, token };
        const stanza = messageStanza(sock.authState.creds, envelope);
        frames.push({ posted, stanza: stanza instanceof Promise ? await stanza : stanza });
      }
    }
    return frames;
  }

  /** What each device is to get: the other ones of this account, then those of the recipient. */
  async #address({ to, message, record }: Letter, devicesOf: DevicesOf): Promise<Open[]> {
    const { me } = this.#parts.sock.authState.creds;
    if (me === undefined) throw new Error('No account is linked');
    const sender = to.endsWith('@lid') && me.lid ? me.lid : me.id;
    const devices = await devicesOf.all(jidNormalizedUser(sender), to);
    const myUsers = [me.id, me.lid].map((jid) => jidDecode(jid)?.user);
    const own = new Set<string>();
    const others = new Set<string>();
    for (const { user, jid } of devices) {
      if (jid !== me.id && jid !== me.lid) (myUsers.includes(user) ? own : others).add(jid);
    }
    const forOwn = own.size === 0 ? null : forOwnDevices(to, message, record.content);
    return [
      ...[...own].map((jid) => ({ jid, plaintext: padded(forOwn!) })),
      ...[...others].map((jid) => ({ jid, plaintext: padded(record.content) })),
    ];
  }

  #assertOpen(): void {
    if (!this.#parts.sock.ws.isOpen) throw new Error('the connection is closed');
  }
}
