/**
 * Answers to retry receipts of a person's devices, and of the own ones: the message once more, to the device that could not read it. Those of
 * groups are the engine's.
 *
 * Rule: only that device gets it, in a session that is begun anew, with the privacy token that a message to this person carries. Source: zapo #167
 * and `retry/replay.ts` (2026-08-19); whatsmeow `handleRetryReceipt` (retry.go, 2026-08-21) sends no token. Baileys rc14 sends none either, never a
 * `cstoken`, and sends to all devices again when the phone asks.
 */
import { Mutex } from 'async-mutex';
import { type BinaryNode, buildAckStanza, getBinaryNodeChild } from '../engine/nodes.ts';
import { extractE2ESessionFromRetryReceipt } from '../engine/prekeys.ts';
import { proto, writeRandomPadMax16 } from '../engine/proto.ts';
import type { AuthenticationCreds, WASocket } from '../engine/types.ts';
import { type Jid, jidKind } from '../../domain/jid.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { MessageStore } from '../../domain/stores.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { meOf } from '../login/account.ts';
import { boundedCache } from '../engine/bounded-cache.ts';
import type { Line } from '../engine/line/line.ts';
import { deviceIdentity, encNode, forOwnDevices, shapeOf } from './message-stanza.ts';
import type { PrivacyTokens } from '../identity/privacy-tokens.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import type { SignalMessage } from '../signal/bridge.ts';
import type { EncryptBatch } from '../signal/encrypt-batch.ts';
import { replaceListener } from '../engine/stanza-hooks.ts';
import { isMe, plainJid } from '../translate/people.ts';

export interface ResendsParts {
  readonly deviceId: number;
  readonly sock: WASocket;
  readonly line: Pick<Line, 'send' | 'sendInPassing'>;
  readonly creds: AuthenticationCreds;
  readonly messages: Pick<MessageStore, 'find'>;
  readonly lidMapping: LidMapping;
  readonly tokens: Pick<PrivacyTokens, 'nodeFor'>;
  readonly encrypt: EncryptBatch;
  readonly beginSessions: (jids: readonly string[]) => Promise<void>;
  readonly log: Logger;
}

interface Asked {
  readonly id: string;
  /** The device that asks. */
  readonly device: string;
  /** Whom the message went to. */
  readonly chat: string;
  readonly isOwn: boolean;
  readonly count: string;
}

/** One message for one device (the engine's `maxMsgRetryCount`). */
const mostResends = 5;

const isOfPerson = ({ from = '', participant }: BinaryNode['attrs']): boolean =>
  participant === undefined && ['phone', 'lid'].includes(jidKind(plainJid(from)));

type Resendable = MessageRecord & { readonly content: Uint8Array };

export class Resends {
  readonly #parts: ResendsParts;
  readonly #counts = boundedCache<number>(1_000);

  constructor(parts: ResendsParts) {
    this.#parts = parts;
  }

  /** In place of the engine. To be attached before what hands receipts on to it. */
  attach(): void {
    const { sock, line, log } = this.#parts;
    const oneByOne = new Mutex();
    const engine: (receipt: BinaryNode) => unknown = replaceListener(sock.ws, 'CB:receipt', (receipt) => {
      if (receipt.attrs.type !== 'retry' || !isOfPerson(receipt.attrs)) return engine(receipt);
      oneByOne
        .runExclusive(() => this.#answer(receipt))
        .catch((error: unknown) => log.warn({ error: messageOf(error) }, 'failed to resend a message'))
        .finally(() => {
          if (sock.ws.isOpen) line.sendInPassing([buildAckStanza(receipt)]);
        });
    });
  }

  async #answer(receipt: BinaryNode): Promise<void> {
    const asked = this.#askedBy(receipt);
    if (asked === null || !this.#allows(asked)) return;
    const record = await this.#find(asked);
    if (record === null) return;
    await this.#renewSession(asked, receipt);
    await this.#send(asked, record);
  }

  #askedBy(receipt: BinaryNode): Asked | null {
    const { attrs } = receipt;
    const { id, from = '', recipient } = attrs;
    const isOwn = isMe(meOf(this.#parts.creds), from);
    const chat = isOwn ? recipient : from;
    const retry = getBinaryNodeChild(receipt, 'retry');
    if (!id || chat === undefined || retry === undefined) return null;
    return { id, device: from, chat, isOwn, count: retry.attrs['count'] ?? '1' };
  }

  #allows({ id, device }: Asked): boolean {
    const name = `${id} ${device}`;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return count <= mostResends;
  }

  /** Looks only in the chat with the requester: an id from another chat finds nothing. Deleted messages are not sent again (Baileys #2820, 2026). */
  async #find({ id, chat }: Asked): Promise<Resendable | null> {
    const { deviceId, messages, lidMapping } = this.#parts;
    const { phone, lid } = await lidMapping.addressesOf(plainJid(chat));
    for (const name of new Set<Jid | null>([phone, lid, plainJid(chat)])) {
      const record = name === null ? null : await messages.find(deviceId, id, name, true);
      if (record?.content && record.direction === 'out' && record.deletedAt === null) {
        return { ...record, content: record.content };
      }
    }
    return null;
  }

  /** With the keys of the receipt, else with published ones: the device could not read what came in the session that there is. */
  async #renewSession({ device }: Asked, receipt: BinaryNode): Promise<void> {
    const session = extractE2ESessionFromRetryReceipt(receipt);
    if (session === null) return this.#parts.beginSessions([device]);
    const { preKey, ...rest } = session;
    const bundle = preKey === undefined ? rest : { ...rest, preKey };
    await this.#parts.sock.signalRepository.injectE2ESession({ jid: device, session: bundle });
  }

  async #send(asked: Asked, { content: bytes }: Resendable): Promise<void> {
    const { sock, line, tokens, encrypt, creds } = this.#parts;
    const message = proto.Message.decode(bytes);
    const plaintext = writeRandomPadMax16(asked.isOwn ? forOwnDevices(asked.chat, message) : bytes);
    const [encrypted] = (await encrypt([{ jid: asked.device, plaintext }], {}, true)).encrypted;
    if (!encrypted) throw new Error('the message could not be encrypted');
    const token = asked.isOwn ? null : await tokens.nodeFor(plainJid(asked.device));
    if (sock.ws.isOpen) line.send([stanzaOf(creds, asked, message, encrypted, token)]);
  }
}

const stanzaOf = (
  creds: AuthenticationCreds,
  { id, device, chat, isOwn, count }: Asked,
  message: proto.IMessage,
  encrypted: SignalMessage,
  token: BinaryNode | null,
): BinaryNode => {
  const { type, enc, edit, meta } = shapeOf(message);
  return {
    tag: 'message',
    attrs: { id, to: device, type, ...edit, device_fanout: 'false', ...(isOwn ? { recipient: chat } : {}) },
    content: [
      encNode(encrypted, { count, ...enc }),
      ...(encrypted.type === 'pkmsg' ? deviceIdentity(creds) : []),
      ...(token === null ? [] : [token]),
      ...meta,
    ],
  };
};
