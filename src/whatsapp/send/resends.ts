/**
 * Answers to retry receipts of devices of persons, of members of groups, and of the own ones: the message once more, to the device that could not read it.
 *
 * Rule: only that device gets it, in a session that is begun anew, with the privacy token that a message to this person carries. Source: zapo #167
 * and `retry/replay.ts` (2026-08-19); whatsmeow `handleRetryReceipt` (retry.go, 2026-08-21) sends no token. Baileys rc14 sends none either, never a
 * `cstoken`, and sends to all devices again when the phone asks, in groups to all members.
 * In a group, only who is a member now gets it, with the sender key of the messages to come. Source: whatsmeow `handleRetryReceipt`, zapo `retry/replay.ts`.
 * The retry receipt is acknowledged when the network has taken the copy, or refuses it for good. Otherwise it comes again after the next login, and so does the copy.
 * A message that is gone renews the session all the same, with the keys of the receipt, and brings the sender key with the next message: whatsapp-rust #1300 and
 * #1303 (2026-08, LIVE), WA Web. In whatsmeow and Baileys rc14 the device cannot read the next message either.
 * whatsmeow and Baileys rc14 acknowledge it once the copy has left, and do not look at what the network says of that.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Mutex } from 'async-mutex';
import { type BinaryNode, buildAckStanza, getBinaryNodeChild } from '../engine/nodes.ts';
import { extractE2ESessionFromRetryReceipt } from '../engine/baileys.ts';
import { proto, writeRandomPadMax16 } from '../engine/proto.ts';
import type { AuthenticationCreds, WASocket } from '../engine/types.ts';
import type { Clock } from '../../domain/clock.ts';
import { type Jid, jidKind } from '../../domain/jid.ts';
import type { KeptGroup } from '../../domain/groups/group.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { MessageStore } from '../../domain/stores.ts';
import { isUnavailable, messageOf, SendOutcomeUnknown } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { meOf } from '../identity/account.ts';
import { boundedCache } from '../engine/bounded-cache.ts';
import type { Line } from '../engine/line/line.ts';
import type { BeginSessions } from './key-bundles.ts';
import { deviceIdentity, encNode, forOwnDevices, shapeOf } from './message-stanza.ts';
import type { PrivacyTokens } from '../identity/privacy-tokens.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import type { SignalMessage } from '../signal/bridge.ts';
import type { EncryptBatch } from '../signal/batches.ts';
import { replaceListener } from '../engine/stanza-hooks.ts';
import { ResendLimit } from './resend-limit.ts';
import { type AckSaid, type Acks, SendRefused } from './server-ack.ts';
import { isMe, plainJid } from '../identity/people.ts';

export interface ResendsParts {
  readonly deviceId: number;
  readonly sock: WASocket;
  readonly line: Pick<Line, 'send' | 'sendInPassing'>;
  readonly creds: AuthenticationCreds;
  readonly messages: Pick<MessageStore, 'find'>;
  readonly lidMapping: LidMapping;
  readonly tokens: Pick<PrivacyTokens, 'nodeFor'>;
  readonly encrypt: EncryptBatch;
  readonly acks: Pick<Acks, 'wait'>;
  readonly beginSessions: BeginSessions;
  readonly groupOf: (group: Jid) => Promise<KeptGroup>;
  /** The device does not hold the sender key of the group. */
  readonly forgetHolder: (group: Jid, device: string) => Promise<void>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
}

interface Asked {
  readonly id: string;
  /** The device that asks. */
  readonly device: string;
  /** Whom the message went to. */
  readonly chat: string;
  readonly isOwn: boolean;
  readonly isGroup: boolean;
  readonly count: string;
  /** Its session has been begun anew: a further try goes in the same one. */
  isRenewed: boolean;
  /** It is within the limit of its chat. */
  isCounted: boolean;
}

/** A copy that has left. */
interface Left {
  readonly acked: Promise<AckSaid>;
}

/** One message for one device (the engine's `maxMsgRetryCount`). */
const mostResends = 5;

/** Before further tries on one connection. */
const pausesMs = [1_000, 5_000, 20_000];

/** The network has not answered, or has failed, or the database is away. */
const isUndecided = (error: unknown): boolean => error instanceof SendOutcomeUnknown || isUnavailable(error);

const mayPass = (error: unknown): boolean =>
  isUndecided(error) || (error instanceof SendRefused && ['429', '479'].includes(error.code));

const isPerson = (jid: string): boolean => ['phone', 'lid'].includes(jidKind(plainJid(jid)));

/** Those of status updates and the like are the engine's. */
const isOurs = ({ from = '', participant }: BinaryNode['attrs']): boolean =>
  participant === undefined ? isPerson(from) : jidKind(from) === 'group' && isPerson(participant);

type Resendable = MessageRecord & { readonly content: Uint8Array };

export class Resends {
  readonly #parts: ResendsParts;
  readonly #counts = boundedCache<number>(1_000);
  readonly #oneByOne = new Mutex();
  readonly #limit: ResendLimit;

  constructor(parts: ResendsParts) {
    this.#parts = parts;
    this.#limit = new ResendLimit(parts.clock);
  }

  /** In place of the engine. To be attached before what hands receipts on to it. */
  attach(): void {
    const { sock } = this.#parts;
    const engine: (receipt: BinaryNode) => unknown = replaceListener(sock.ws, 'CB:receipt', (receipt) => {
      if (receipt.attrs.type !== 'retry' || !isOurs(receipt.attrs)) return engine(receipt);
      void this.#answer(receipt);
    });
  }

  async #answer(receipt: BinaryNode): Promise<void> {
    const { sock, line } = this.#parts;
    const isDone = await this.#resendUntilTaken(receipt);
    if (isDone && sock.ws.isOpen) line.sendInPassing([buildAckStanza(receipt)]);
  }

  /** Whether the receipt has had its answer; never rejects. */
  async #resendUntilTaken(receipt: BinaryNode): Promise<boolean> {
    const asked = this.#askedBy(receipt);
    if (asked === null || !this.#allows(asked)) return true;
    const { sock, log } = this.#parts;
    for (let tries = 0; sock.ws.isOpen; tries += 1) {
      try {
        const left = await this.#oneByOne.runExclusive(() => this.#resend(asked, receipt));
        await left?.acked;
        return true;
      } catch (error) {
        const pauseMs = pausesMs[tries];
        if (pauseMs === undefined || !mayPass(error)) {
          log.warn({ error: messageOf(error) }, 'failed to resend a message');
          return !isUndecided(error);
        }
        await sleep(pauseMs, undefined, { ref: false });
      }
    }
    return false;
  }

  /** Null when there is nothing to send. Throws where it has to wait. */
  async #resend(asked: Asked, receipt: BinaryNode): Promise<Left | null> {
    const { chat, device, isGroup } = asked;
    const record = await this.#find(asked);
    asked.isCounted ||= this.#limit.take(plainJid(chat), isGroup);
    if (!asked.isCounted && (record === null || !isGroup)) throw new SendOutcomeUnknown('too many resends in a minute');
    if (isGroup && !(await this.#isMember(asked))) return null;
    if (!asked.isRenewed) await this.#renewSession(asked, receipt, record !== null);
    asked.isRenewed = true;
    if (isGroup) await this.#parts.forgetHolder(chat, device);
    return record === null || !asked.isCounted ? null : this.#send(asked, record);
  }

  async #isMember({ chat, device }: Asked): Promise<boolean> {
    const { lidMapping, groupOf } = this.#parts;
    const { phone, lid } = await lidMapping.addressesOf(plainJid(device));
    const names = new Set([phone, lid, plainJid(device)]);
    const { members } = await groupOf(chat);
    return members.some(({ person }) => names.has(person.jid) || names.has(person.lid ?? person.jid));
  }

  #askedBy(receipt: BinaryNode): Asked | null {
    const { attrs } = receipt;
    const { id, from = '', recipient, participant } = attrs;
    const device = participant ?? from;
    const isOwn = isMe(meOf(this.#parts.creds), device);
    const isGroup = participant !== undefined;
    const chat = isOwn && !isGroup ? recipient : from;
    const retry = getBinaryNodeChild(receipt, 'retry');
    if (!id || chat === undefined || retry === undefined) return null;
    return { id, device, chat, isOwn, isGroup, count: retry.attrs['count'] ?? '1', isRenewed: false, isCounted: false };
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

  /** With the keys of the receipt, else with published ones (`isAsked`): the device could not read what came in the session that there is. */
  async #renewSession({ device }: Asked, receipt: BinaryNode, isAsked: boolean): Promise<void> {
    const session = extractE2ESessionFromRetryReceipt(receipt);
    if (session === null) return isAsked ? this.#parts.beginSessions([device]) : undefined;
    const { preKey, ...rest } = session;
    const bundle = preKey === undefined ? rest : { ...rest, preKey };
    await this.#parts.sock.signalRepository.injectE2ESession({ jid: device, session: bundle });
  }

  /** With the account's sender key of the group, if there is one. */
  async #forMember(groupId: Jid, message: proto.Message): Promise<Uint8Array> {
    const { signalRepository } = this.#parts.sock;
    const { me } = this.#parts.creds;
    const lid = me?.lid;
    const byLid = lid !== undefined && (await signalRepository.hasSenderKey({ group: groupId, meId: lid }));
    const meId = byLid ? lid : (me?.id ?? '');
    if (!byLid && !(await signalRepository.hasSenderKey({ group: groupId, meId }))) {
      return proto.Message.encode(message).finish();
    }
    const key = await signalRepository.getSenderKeyDistributionMessage({ group: groupId, meId });
    const senderKeyDistributionMessage = { groupId, axolotlSenderKeyDistributionMessage: key };
    return proto.Message.encode(Object.assign(message, { senderKeyDistributionMessage })).finish();
  }

  async #send(asked: Asked, { content: bytes }: Resendable): Promise<Left> {
    const { line, tokens, encrypt, creds, acks } = this.#parts;
    const message = proto.Message.decode(bytes);
    const forOther = asked.isGroup ? await this.#forMember(asked.chat, message) : bytes;
    const isOwnCopy = asked.isOwn && !asked.isGroup;
    const plaintext = writeRandomPadMax16(isOwnCopy ? forOwnDevices(asked.chat, message) : forOther);
    const [encrypted] = (await encrypt([{ jid: asked.device, plaintext }], {}, true)).encrypted;
    if (!encrypted) throw new Error('the message could not be encrypted');
    const token = asked.isOwn || asked.isGroup ? null : await tokens.nodeFor(plainJid(asked.device));
    line.send([stanzaOf(creds, asked, message, encrypted, token)]);
    // It leaves at the end of the turn.
    return { acked: acks.wait(asked.id, Promise.resolve()) };
  }
}

const stanzaOf = (
  creds: AuthenticationCreds,
  { id, device, chat, isOwn, isGroup, count }: Asked,
  message: proto.IMessage,
  encrypted: SignalMessage,
  token: BinaryNode | null,
): BinaryNode => {
  const { type, enc, edit, meta } = shapeOf(message);
  const toPerson = { device_fanout: 'false', ...(isOwn ? { recipient: chat } : {}) };
  const to = isGroup ? { to: chat, participant: device } : { to: device };
  return {
    tag: 'message',
    attrs: { id, ...to, type, ...edit, ...(isGroup ? {} : toPerson) },
    content: [
      encNode(encrypted, { count, ...enc }),
      ...(encrypted.type === 'pkmsg' ? deviceIdentity(creds) : []),
      ...(token === null ? [] : [token]),
      ...meta,
    ],
  };
};
