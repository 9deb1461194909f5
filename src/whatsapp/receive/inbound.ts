/**
 * The messages that arrive, strictly in their order. Those that are waiting together and are plain (no keys, no settings) are
 * read and committed together; then their receipts leave in one write. Every other one is read by itself, in its turn.
 *
 * Stanzas that nothing here reads are acknowledged all the same: the network delivers again what is not, and ends the stream.
 *
 * - `<status>`, the status posts of contacts since July 2026, is acked with `class="status"`, and dropped where the device does not want them
 *   (`statuses/intake.ts`): unacked it came 25 times, and the stream ended every 50 minutes (whatsapp-rust #1101, 2026-07-25, live). whatsmeow takes
 *   it for the status post of a channel, reads that, and acks any other (a2381054, 2026-07-20).
 * - A message to `status@broadcast`, the older form, gets a plain ack. A refusal with 500 held back all that waited.
 * - A stanza of a kind not known here is acked when it has `id` and `from`.
 */
import { type BinaryNode, buildAckStanza } from '../library/nodes.ts';
import type { Earlier, Socket } from '../socket/socket.ts';
import { statusJid } from '../../domain/messages/statuses.ts';
import { noteOperation } from '../../domain/turns.ts';
import type { ChannelIntake } from '../channels/intake.ts';
import { tooManyWaiting } from '../socket/connection-ended.ts';
import type { Intake } from './intake.ts';
import type { Presence } from '../connection/presence.ts';
import type { Line } from '../socket/line.ts';
import { isOtherPerson, meOf } from '../identity/people.ts';
import type { ChangesOf, DecryptBatch, IncomingMessage } from '../signal/batches.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import type { BegunMessages } from './begun.ts';
import { isPlaceholder } from './placeholders.ts';
import { peopleIn, contentOf } from '../translate/content.ts';
import { translateMessage, translateUnread } from '../translate/message.ts';
import { associatedIn, decodeMessage, unpadded } from '../translate/parts/decode.ts';
import { contentBytes, isPlain, plainEncOf, plainId, receiptOf } from '../translate/parts/envelope.ts';
import { Budget, limitedFrom } from '../translate/parts/limits.ts';
import { emptyMessage } from './message-reader.ts';
import type { SingleMessages } from './single-message.ts';

export interface InboundParts {
  readonly deviceId: number;
  readonly sock: Pick<Socket, 'creds' | 'end' | 'isOpen' | 'stanzas'>;
  readonly line: Pick<Line, 'sendInPassing'>;
  readonly presence: Pick<Presence, 'isOnline'>;
  readonly lidMapping: Pick<LidMapping, 'changesOf' | 'find' | 'recall'>;
  readonly intake: Intake;
  readonly single: Pick<SingleMessages, 'take'>;
  readonly begun: Pick<BegunMessages, 'begin'>;
  /** Takes statuses; false for those that are only to be acknowledged. */
  readonly statuses: { take(node: BinaryNode, earlier: Earlier): boolean };
  /** Takes posts of channels; false for those that are only to be acknowledged. */
  readonly channels: Pick<ChannelIntake, 'take'>;
  readonly decryptBatch: DecryptBatch;
  readonly onFailure: (error: unknown) => void;
}

/** More would keep the other devices of the process waiting. */
const maxTogether = 64;
/** More than the longest texts (64 kB) of a backlog's windows (`backlog.ts`). */
const maxWaitingBytes = 64 * 1_048_576;

interface PlainMessage extends IncomingMessage {
  readonly stanza: BinaryNode;
}

export class Inbound {
  readonly #parts: InboundParts;
  #waiting: BinaryNode[] = [];
  #waitingBytes = 0;
  #running = false;
  #isLoaded = false;
  #came = 0;
  #done = 0;
  /** Waiters for the first `count` messages to be done, in order of `count`. */
  #behind: { readonly count: number; readonly resolve: () => void }[] = [];
  /** Batch size: small after a failure, which wastes the reading of later messages. */
  #width = maxTogether;

  constructor(parts: InboundParts) {
    this.#parts = parts;
  }

  attach(): void {
    const { sock, line, channels, statuses } = this.#parts;
    sock.stanzas.on('status', (node) => {
      if (!statuses.take(node, this.earlier)) line.sendInPassing([buildAckStanza(node)]);
    });
    sock.stanzas.on('message', (node) => {
      if (node.attrs.from === statusJid) {
        if (statuses.take(node, this.earlier)) return;
        return line.sendInPassing([buildAckStanza(node, undefined, sock.creds.me?.id)]);
      }
      if (node.attrs.from?.endsWith('@newsletter') && channels.take(node)) return;
      this.#waiting.push(node);
      this.#waitingBytes += contentBytes(node);
      this.#came += 1;
      // The network delivers them again, as a backlog, which is requested only as fast as it is read.
      if (this.#waitingBytes > maxWaitingBytes) void sock.end(tooManyWaiting());
      if (!this.#running) void this.#run();
    });
  }

  /** Receipts and calls do not overtake messages, whose events must come first. */
  readonly earlier: Earlier = () => {
    if (this.#done === this.#came) return null;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#behind.push({ count: this.#came, resolve });
    return promise;
  };

  get unhandled(): number {
    return this.#came - this.#done;
  }

  #take(count: number): BinaryNode {
    const taken = this.#waiting.splice(0, count);
    for (const node of taken) this.#waitingBytes -= contentBytes(node);
    return taken[0]!;
  }

  async #run(): Promise<void> {
    const { sock, onFailure } = this.#parts;
    this.#running = true;
    // Stanzas of one packet are delivered within one turn.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      // Unacknowledged messages are redelivered.
      if (!sock.isOpen) this.#take(this.#waiting.length);
      else await this.#step().catch(onFailure);
      this.#done = this.#came - this.#waiting.length;
      while (this.#behind.length > 0 && this.#behind[0]!.count <= this.#done) this.#behind.shift()!.resolve();
    }
    this.#running = false;
  }

  async #step(): Promise<void> {
    const { begun } = this.#parts;
    try {
      const { count, treatment } = await begun.begin(this.#waiting);
      if (treatment === 'refused') return await this.#refuse(this.#take(1));
      if (treatment === 'unread') return await this.#alone(this.#take(1), false);
      const messages = await this.#plainIn(this.#waiting.slice(0, Math.min(this.#width, count)));
      const done = messages.length === 0 ? 0 : await this.#together(messages);
      this.#width = done < messages.length ? Math.max(1, done) : Math.min(2 * this.#width, maxTogether);
      if (done > 0) {
        this.#take(done);
        return;
      }
    } catch (error) {
      // Nothing was stored and later ones must not overtake it, so the connection ends.
      this.#take(this.#waiting.length);
      throw error;
    }
    await this.#alone(this.#take(1));
  }

  async #alone(node: BinaryNode, isRead = true): Promise<void> {
    const { sock, intake, single } = this.#parts;
    await intake.begin(node);
    if (isPlaceholder(node)) {
      await intake.placeholders.take(node);
      this.#acknowledge(node);
    } else if (sock.isOpen) await single.take(node, isRead ? intake.readerOf(node) : intake.storerOf(node));
  }

  async #refuse(node: BinaryNode): Promise<void> {
    await this.#parts.intake.refuse(node);
    this.#acknowledge(node);
  }

  #acknowledge(node: BinaryNode): void {
    const { sock, line } = this.#parts;
    if (sock.isOpen) line.sendInPassing([buildAckStanza(node, undefined, sock.creds.me?.id)]);
  }

  /** From the front: each from another person, with one ciphertext of a known session or sender key, and nothing new about people. */
  async #plainIn(nodes: readonly BinaryNode[]): Promise<PlainMessage[]> {
    const { sock, lidMapping, intake } = this.#parts;
    const { updates, placeholders } = intake;
    const plain: PlainMessage[] = [];
    if (!this.#isLoaded) await Promise.all([updates.load(), placeholders.list.load()]);
    this.#isLoaded = true;
    const isAnyWaitedFor = !updates.waiting.isEmpty || !placeholders.list.saved.isEmpty;
    for (const stanza of nodes) {
      const { id, from, category, recipient, participant } = stanza.attrs;
      if (id === undefined || category !== undefined || recipient !== undefined) break;
      const group = from?.endsWith('@g.us') === true ? from : undefined;
      const author = group === undefined ? from : participant;
      const enc = (participant === undefined) === (group === undefined) ? plainEncOf(stanza) : null;
      if (enc === null || (enc.type === 'skmsg') !== (group !== undefined)) break;
      if (!isOtherPerson(meOf(sock.creds), author) || (isAnyWaitedFor && this.#isWaitedFor(plainId(id)))) break;
      await lidMapping.recall(stanza);
      if (lidMapping.changesOf(stanza).length > 0) break;
      plain.push({ jid: author!, group, type: enc.type, ciphertext: enc.ciphertext, stanza });
    }
    return plain;
  }

  /** Updates waiting for this message are applied with it, or it was reported without content: both exclude batching. */
  #isWaitedFor(id: string): boolean {
    const { updates, placeholders } = this.#parts.intake;
    return updates.isAwaited(id) || placeholders.list.mayHave(id);
  }

  /** Reads plain messages; null for others. Create it when needed, as it holds the time. */
  #readsPlain(): ChangesOf<PlainMessage> {
    const { deviceId, lidMapping, intake } = this.#parts;
    const context = intake.context();
    return ({ stanza }, plaintext) => {
      noteOperation({ kind: 'message', deviceId });
      const bytes = unpadded(plaintext);
      if (!isPlain(bytes)) return null;
      const read = () => {
        const message = decodeMessage(bytes);
        if (associatedIn(message)?.hdOf) return null;
        // Most messages are plain texts, which name nobody.
        const named = typeof message.conversation === 'string' ? [] : peopleIn(contentOf(message));
        for (const jid of named) if (lidMapping.find(jid) === undefined) return null;
        const translated = translateMessage(stanza, message, context, bytes);
        // Its lines must be queried (`orders.ts`).
        return translated.messages?.[0]?.type === 'order' ? null : { ...translated, instead: emptyMessage };
      };
      if (plaintext.length < limitedFrom) return read();
      const budget = new Budget(plaintext.length);
      try {
        return budget.run(read);
      } catch (error) {
        if (!budget.isSpent) throw error;
        intake.reader.tellSlow();
        return { ...translateUnread(stanza, {}, context, bytes), instead: emptyMessage };
      }
    };
  }

  async #together(messages: readonly PlainMessage[]): Promise<number> {
    const { sock, line, presence, decryptBatch } = this.#parts;
    const done = await decryptBatch(messages, this.#readsPlain());
    if (!sock.isOpen) return done;
    const receipts: BinaryNode[] = [];
    for (const { stanza, jid: author, group } of messages.slice(0, done)) {
      const place = { author, isGroup: group !== undefined, fromMe: false };
      receipts.push(receiptOf(stanza, place, presence.isOnline));
    }
    line.sendInPassing(receipts);
    return done;
  }
}
