/**
 * Answers to retry receipts from devices of persons, members and the account: sends the message again, to the device that could not read it.
 *
 * Rule: only that device gets it, in a new session, with the privacy token a message to this person carries. Source: zapo #167 and `retry/replay.ts`
 * (2026-08-19); whatsmeow `handleRetryReceipt` (retry.go, 2026-08-21) sends no token.
 * In a group the requester must be a member now, and gets the present sender key; a status is resent to its audience only. Source: whatsmeow
 * `handleRetryReceipt`, zapo `retry/replay.ts`.
 * The retry receipt is acked once the network has accepted the copy, or refuses it for good; otherwise both are repeated after the next login.
 * A copy beyond the limit of its chat waits (`resend-limit.ts`), while the session is renewed at once.
 * If the message is gone, the session is renewed all the same, with the keys of the receipt, and the next message carries the sender key:
 * whatsapp-rust #1300 and #1303 (2026-08, LIVE), WA Web.
 */
import { Mutex } from 'async-mutex';
import { type BinaryNode, buildAckStanza, getBinaryNodeChild } from '../library/nodes.ts';
import { extractE2ESessionFromRetryReceipt } from '../library/protocol.ts';
import { proto, writeRandomPadMax16 } from '../library/proto.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import type { Socket } from '../socket/socket.ts';
import type { Clock } from '../../domain/clock.ts';
import { type Jid, jidKind } from '../../domain/jid.ts';
import type { KeptGroup } from '../../domain/groups/group.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { statusJid } from '../../domain/messages/statuses.ts';
import type { StatusStore, MessageStore } from '../../domain/stores.ts';
import { isUnavailable, messageOf, SendOutcomeUnknown } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { meOf, isMe, plainJid } from '../identity/people.ts';
import { boundedCache } from '../library/bounded-cache.ts';
import { ConnectionEnded } from '../socket/connection-ended.ts';
import type { Line } from '../socket/line.ts';
import { NoAnswer } from '../socket/query.ts';
import type { DeviceMemory } from '../state/device-memory.ts';
import type { BeginSessions } from './key-bundles.ts';
import { forOwnDevices } from './message-stanza.ts';
import type { PrivacyTokens } from '../identity/privacy-tokens.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import type { Repository } from '../signal/repository.ts';
import type { EncryptBatch } from '../signal/batches.ts';
import { ResendLimit } from './resend-limit.ts';
import { type Asked, nameOf, stanzaOf } from './resend-stanzas.ts';
import { type AckSaid, type Acks, SendRefused } from './server-ack.ts';

export interface ResendsParts {
  readonly deviceId: number;
  readonly sock: Pick<Socket, 'isOpen'>;
  readonly repository: Pick<Repository, 'getSenderKeyDistributionMessage' | 'hasSenderKey' | 'injectE2ESession'>;
  readonly line: Pick<Line, 'send' | 'sendInPassing'>;
  readonly creds: AuthenticationCreds;
  readonly messages: Pick<MessageStore, 'find'>;
  readonly memory: Pick<DeviceMemory, 'resent'>;
  readonly lidMapping: LidMapping;
  readonly tokens: Pick<PrivacyTokens, 'nodeFor'>;
  readonly encrypt: EncryptBatch;
  readonly acks: Pick<Acks, 'wait'>;
  readonly beginSessions: BeginSessions;
  readonly groupOf: (group: Jid, anew?: boolean) => Promise<KeptGroup>;
  readonly statuses: Pick<StatusStore, 'find' | 'audience'>;
  readonly forgetHolder: (group: Jid, device: string) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Left {
  readonly acked: Promise<AckSaid>;
}

const maxResends = 5;

const pausesMs = [1_000, 5_000, 20_000];

/** More are left to the next login, so that nobody fills the memory with receipts. */
const maxWaiting = 1_000;

const isUndecided = (error: unknown): boolean =>
  error instanceof SendOutcomeUnknown ||
  error instanceof NoAnswer ||
  error instanceof ConnectionEnded ||
  isUnavailable(error);

const mayPass = (error: unknown): boolean =>
  isUndecided(error) || (error instanceof SendRefused && ['429', '479'].includes(error.code));

const isPerson = (jid: string): boolean => ['phone', 'lid'].includes(jidKind(plainJid(jid)));

const isOurs = ({ from = '', participant }: BinaryNode['attrs']): boolean =>
  participant === undefined
    ? isPerson(from)
    : (jidKind(from) === 'group' || from === statusJid) && isPerson(participant);

type Resendable = MessageRecord & { readonly content: Uint8Array };

export class Resends {
  readonly #parts: ResendsParts;
  readonly #counts = boundedCache<number>(1_000);
  readonly #oneByOne = new Mutex();
  readonly #limit: ResendLimit;
  /** Ends a wait early. */
  readonly #waiting = new Set<() => void>();

  constructor(parts: ResendsParts) {
    this.#parts = parts;
    this.#limit = new ResendLimit(parts.clock);
  }

  /** Call when the connection has ended. */
  end(): void {
    for (const go of this.#waiting) go();
  }

  /** False for a receipt that requests nothing. Acknowledged once the copy is taken. */
  readonly take = (receipt: BinaryNode): boolean => {
    if (!isOurs(receipt.attrs)) return false;
    void this.#answer(receipt);
    return true;
  };

  async #answer(receipt: BinaryNode): Promise<void> {
    const { sock, line, memory } = this.#parts;
    const name = nameOf(receipt);
    // It comes again, as its acknowledgement was lost: the one-time prekey in it is used up, so a session begun with it could not be read.
    const isDone = memory.resent.get(name) === true || (await this.#resendUntilTaken(receipt));
    if (isDone) memory.resent.set(name, true);
    if (isDone && sock.isOpen) line.sendInPassing([buildAckStanza(receipt)]);
  }

  /** Whether the receipt is answered; never rejects. */
  async #resendUntilTaken(receipt: BinaryNode): Promise<boolean> {
    const asked = this.#askedBy(receipt);
    if (asked === null || !this.#allows(asked)) return true;
    const { sock, log } = this.#parts;
    for (let tries = 0; sock.isOpen;) {
      try {
        const left = await this.#oneByOne.runExclusive(() => this.#resend(asked, receipt));
        if (left !== 'late') {
          await left?.acked;
          return true;
        }
        await this.#wait(asked.waitMs ?? 0);
        asked.waitMs = 0;
      } catch (error) {
        const pauseMs = pausesMs[tries];
        if (pauseMs === undefined || !mayPass(error)) {
          log.warn({ error: messageOf(error) }, 'failed to resend a message');
          return !isUndecided(error);
        }
        tries += 1;
        await this.#wait(pauseMs);
      }
    }
    return false;
  }

  async #wait(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#parts.clock.after(ms, resolve);
    this.#waiting.add(resolve);
    await promise;
    this.#waiting.delete(resolve);
    timer.cancel();
  }

  async #resend(asked: Asked, receipt: BinaryNode): Promise<Left | null | 'late'> {
    const { chat, device, isGroup } = asked;
    const record = await this.#find(asked);
    const isLate = this.#waitOf(asked) > 0;
    if (isLate && (record === null || !isGroup)) return 'late';
    if (isGroup && !(await (chat === statusJid ? this.#mayView(asked) : this.#isMember(asked)))) return null;
    if (!asked.isRenewed) {
      await this.#renewSession(asked, receipt, record !== null);
      if (isGroup) await this.#parts.forgetHolder(chat, device);
      asked.isRenewed = true;
    }
    if (record === null) return null;
    return isLate ? 'late' : this.#send(asked, record);
  }

  #waitOf(asked: Asked): number {
    asked.waitMs ??= this.#limit.take(plainJid(asked.chat), asked.isGroup);
    if (asked.waitMs === null || (asked.waitMs > 0 && this.#waiting.size >= maxWaiting))
      throw new SendOutcomeUnknown('too many resends wait for their time');
    return asked.waitMs;
  }

  async #isMember({ chat, device }: Asked): Promise<boolean> {
    const { lidMapping, groupOf } = this.#parts;
    const { phone, lid } = await lidMapping.addressesOf(plainJid(device));
    const names = new Set([phone, lid, plainJid(device)]);
    const isIn = ({ members }: KeptGroup): boolean =>
      members.some(({ person }) => names.has(person.jid) || names.has(person.lid ?? person.jid));
    // The notice of a new member may be under way.
    return isIn(await groupOf(chat)) || isIn(await groupOf(chat, true));
  }

  async #mayView({ id, device, isOwn }: Asked): Promise<boolean> {
    const { deviceId, statuses, lidMapping } = this.#parts;
    const { lid } = await lidMapping.addressesOf(plainJid(device));
    return isOwn || (lid !== null && (await statuses.audience(deviceId, id))?.includes(lid) === true);
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
    return { id, device, chat, isOwn, isGroup, count: retry.attrs['count'] ?? '1', isRenewed: false, waitMs: null };
  }

  #allows({ id, device }: Asked): boolean {
    const name = `${id} ${device}`;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return count <= maxResends;
  }

  /** Only in the chat with the requester: an id from another chat finds nothing. Deleted messages are not resent. */
  async #find({ id, chat }: Asked): Promise<Resendable | null> {
    const { deviceId, messages, statuses, lidMapping } = this.#parts;
    if (chat === statusJid) {
      const status = await statuses.find(deviceId, id);
      const content = status?.message.direction === 'out' && status.deletedAt === null ? status.message.content : null;
      return status === null || content === null ? null : { ...status.message, content };
    }
    const { phone, lid } = await lidMapping.addressesOf(plainJid(chat));
    for (const name of new Set<Jid | null>([phone, lid, plainJid(chat)])) {
      const record = name === null ? null : await messages.find(deviceId, id, name, true);
      if (record?.content && record.direction === 'out' && record.deletedAt === null) {
        return { ...record, content: record.content };
      }
    }
    return null;
  }

  /** With the receipt's keys, else with published ones (`isAsked`): the device cannot read the present session. */
  async #renewSession({ device }: Asked, receipt: BinaryNode, isAsked: boolean): Promise<void> {
    const session = extractE2ESessionFromRetryReceipt(receipt);
    if (session !== null) await this.#parts.repository.injectE2ESession({ jid: device, session });
    else if (isAsked) await this.#parts.beginSessions([device]);
  }

  async #forMember(groupId: Jid, message: proto.Message): Promise<Uint8Array> {
    const { repository, creds } = this.#parts;
    const { me } = creds;
    const lid = me?.lid;
    const byLid = lid !== undefined && (await repository.hasSenderKey({ group: groupId, meId: lid }));
    const meId = byLid ? lid : (me?.id ?? '');
    if (!byLid && !(await repository.hasSenderKey({ group: groupId, meId }))) {
      return proto.Message.encode(message).finish();
    }
    const key = await repository.getSenderKeyDistributionMessage({ group: groupId, meId });
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
    return { acked: acks.wait(asked.id, Promise.resolve(), asked.device) };
  }
}
