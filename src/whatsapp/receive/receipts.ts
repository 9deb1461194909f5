/** Receipts, many at a time: what they change is committed before they are acknowledged. */
import type { BinaryNode } from '../engine/nodes.ts';
import type { SessionChanges } from '../../domain/changes.ts';
import type { ChatChange } from '../../domain/chats/chat.ts';
import type { Annotation } from '../../domain/messages/annotation.ts';
import type { Clock } from '../../domain/clock.ts';
import { jidKind } from '../../domain/jid.ts';
import type { MessageStore } from '../../domain/stores.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { acceptedKey, withProven } from '../send/acceptance.ts';
import { boundedCache } from '../engine/bounded-cache.ts';
import type { DeviceMemory } from '../login/device-memory.ts';
import type { EarlyReceipts } from './early-receipts.ts';
import type { SessionStore } from '../login/session-store.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import { plainId } from '../translate/envelope.ts';
import type { TranslationContext } from '../translate/message.ts';
import { plainJid } from '../translate/people.ts';
import {
  annotationsOf,
  changeOf,
  type ReceiptStep,
  readElsewhere,
  statusEvent,
  translateReceipt,
} from '../translate/receipt.ts';

export interface ReceiptsOptions {
  readonly deviceId: number;
  readonly store: SessionStore;
  readonly messages: MessageStore;
  readonly memory: DeviceMemory;
  readonly lidMapping: LidMapping;
  readonly early: EarlyReceipts;
  readonly context: () => TranslationContext;
  readonly clock: Clock;
  readonly log: Logger;
}

const hourMs = 3_600_000;

export class Receipts {
  readonly #options: ReceiptsOptions;
  /** Pairs of a LID and a phone JID that the network was asked about. */
  readonly #asked = boundedCache<true>(500, hourMs);

  constructor(options: ReceiptsOptions) {
    this.#options = options;
  }

  async handle(nodes: readonly BinaryNode[], commit: (changes: SessionChanges) => Promise<void>): Promise<void> {
    const { early, memory, log } = this.#options;
    for (const node of nodes) if (this.#isOfNobody(node)) await this.#askWhose(node);
    const context = { ...this.#options.context(), wordless: memory.wordless };
    const steps: ReceiptStep[] = [];
    for (const node of nodes) {
      try {
        steps.push(...translateReceipt(node, context));
      } catch (error) {
        log.error({ kind: 'receipt', error: messageOf(error) }, 'failed to translate a stanza');
      }
    }
    const chats: ChatChange[] = [];
    for (const node of nodes) {
      const change = readElsewhere(node, context);
      if (change !== null) chats.push(change);
    }
    const wanted: ReceiptStep[] = [];
    for (const step of steps)
      if (memory.accepted.get(acceptedKey(step.messageId, step.chat)) === undefined) wanted.push(step);
    if (wanted.length > 0) {
      await early.load();
      early.lookFor(wanted);
    }
    await withProven({ ...this.#options, me: () => context.me }, steps, async (proven, storedIn) => {
      const messageChanges = [...(proven.messageChanges ?? [])];
      const annotations: Annotation[] = [...(proven.annotations ?? [])];
      const events = [...(proven.events ?? [])];
      const unknown: ReceiptStep[] = [];
      for (const step of steps) {
        const chat = storedIn.get(step);
        if (chat === undefined) unknown.push(step);
        if (chat === undefined || memory.wordless.get(step.messageId) !== undefined) continue;
        messageChanges.push(changeOf(step, chat));
        annotations.push(...annotationsOf(step, chat));
        events.push(statusEvent(step, chat));
      }
      // A receipt for an unknown message makes no event. It is kept: a message written on the phone may be on its way.
      const keys = wanted.length === 0 ? [] : early.keep(unknown);
      await commit({ ...proven, keys, messageChanges, annotations, events, chats });
    });
  }

  /** From a LID that nobody has told the number of. */
  #isOfNobody({ attrs: { from = '', sender_pn: told } }: BinaryNode): boolean {
    const lid = plainJid(from);
    return told === undefined && jidKind(lid) === 'lid' && this.#options.lidMapping.peek(lid).phone === null;
  }

  /**
   * The person may have got another LID since the message was sent, or had none that was known. Whose LID it is, only the
   * network can tell: it is asked for the LID of the message's recipient, once an hour for such a pair. The id of a message
   * proves nothing: a stranger may know it.
   */
  async #askWhose({ attrs }: BinaryNode): Promise<void> {
    const { deviceId, messages, lidMapping, log } = this.#options;
    const record = await messages.find(deviceId, plainId(attrs.id ?? ''), undefined, true);
    if (record?.direction !== 'out' || jidKind(record.chat) !== 'phone') return;
    const pair = `${plainJid(attrs.from ?? '')} ${record.chat}`;
    if (this.#asked.get(pair) === true) return;
    this.#asked.set(pair, true);
    try {
      await lidMapping.refresh(record.chat);
    } catch (error) {
      this.#asked.delete(pair);
      log.debug({ deviceId, error: messageOf(error) }, 'failed to ask for the LID of a receipt');
    }
  }
}
