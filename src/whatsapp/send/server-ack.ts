/**
 * The network's acks of messages: the wait for them, and the reactions besides storing the outcome. Resends happen only in the cases
 * below, at most once and under the same id: the refused first attempt certainly reached nobody.
 *
 * | said          | reaction                                                                          | source                                             |
 * | `phash`       | differs: drop the device lists of recipient and own account; query a group again  | whatsmeow send.go (2026-08-21), whatsapp-rust #524  |
 * | `refresh_lid` | query the LID again, by the phone number                                          | whatsapp-rust #1313 (2026-08-16)                    |
 * | 400 to a LID  | resend by phone number; if that is taken, the account is not migrated              | whatsapp-rust #941 (2026-07-02)                     |
 * | 421           | query the group and its members' lists again; resend                               | zapo WaMessageDispatchCoordinator (2026-08-19)      |
 * | 463           | never resend; if sent by number, try the LID with the next message                 | OpenWA #717 (2026-07-12)                            |
 * | 475           | never resend                                                                       | zapo protocol/message.ts (2026-08-19)               |
 * | 479           | drop the lists; resend if companions were named: one may be gone                   | docs/internals/sources.md                           |
 */
import type { BinaryNode } from '../library/nodes.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import type { Socket } from '../socket/socket.ts';
import { SendOutcomeUnknown, messageOf } from '../../errors.ts';
import { jidDecode } from '../library/jid.ts';
import { type Jid, withoutDevice } from '../../domain/jid.ts';
import type { Logger } from '../../log.ts';
import { factsOf, keepFacts } from '../identity/account.ts';
import type { DeviceLists, FanOut } from '../identity/addressing.ts';
import type { DeviceMemory } from '../state/device-memory.ts';
import type { GroupSends } from './group-sends.ts';
import type { OutboundMessage } from './outbox.ts';
import { isHashOf } from '../identity/hashes.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';

export const noSuchChat = '404';

export const notAMember = '403';

export interface AckSaid {
  readonly phash: string | null;
  /** The recipient has another LID by now. */
  readonly refreshLid: boolean;
  /** Of a post to a channel: the network's number of it (whatsmeow send.go, 2026-08). */
  readonly serverId?: number;
}

export const nothingSaid: AckSaid = { phash: null, refreshLid: false };

/** The message certainly reached nobody. */
export class SendRefused extends Error {
  readonly code: string;
  readonly said: AckSaid;
  constructor(code: string, said = nothingSaid) {
    super(`${refusals[code] ?? 'the network refused the message'} (error ${code})`);
    this.code = code;
    this.said = said;
  }
}

const refusals: Readonly<Record<string, string>> = {
  400: 'the network did not understand the message',
  401: 'the account may not write to this chat',
  403: 'the account may not write to this chat',
  404: 'the chat does not exist',
  405: 'the account may not write to this chat',
  406: 'the network does not accept this message',
  420: 'the group does not let the account write',
  421: 'the group speaks of its members by other addresses than the message did',
  429: 'the network asks to send less often',
  // Full sentences are in `failure.ts`.
  463: 'the network does not let this chat begin',
  475: 'the account has begun as many new chats as the network allows',
  479: 'the network found the message malformed, mostly for a device that is no longer there',
};

/** A network error: it may have taken the message before. */
const isInternal = (code: string): boolean => /^5\d\d$/.test(code);

const outcomeOf = (code: string, said: AckSaid): Error =>
  isInternal(code)
    ? new SendOutcomeUnknown(
        `the network reported an internal error (error ${code}): it may have taken the message or not`,
      )
    : new SendRefused(code, said);

const saidIn = ({ phash, refresh_lid: refreshLid, server_id: text }: BinaryNode['attrs']): AckSaid => {
  if (phash === undefined && refreshLid === undefined && text === undefined) return nothingSaid;
  const serverId = Number(text);
  const isNumber = Number.isSafeInteger(serverId) && serverId > 0;
  return { phash: phash ?? null, refreshLid: refreshLid === 'true', ...(isNumber && { serverId }) };
};

interface Waiting {
  readonly until: number;
  /** The device that a copy goes to; null for a message. */
  readonly device: string | null;
  resolve(said: AckSaid): void;
  reject(error: unknown): void;
}

/** A request lasts 30 s at most (docs/spec/http-interface.md, Errors). */
const usualTimeoutMs = 20_000;
const sweepMs = 1_000;

/** All pending acks of one connection: one listener and one timer, however many messages are under way. */
export class Acks {
  /** A message and its copies for single devices share an id. Those to the same device are acked in the order in which they left. */
  readonly #waiting = new Map<string, readonly Waiting[]>();
  readonly #timeoutMs: number;
  #timer: NodeJS.Timeout | null = null;

  constructor(sock: Pick<Socket, 'stanzas'>, whenEnded: Set<(error: unknown) => void>, timeoutMs = usualTimeoutMs) {
    this.#timeoutMs = timeoutMs;
    sock.stanzas.on('ack', ({ attrs }) => {
      const { id, class: kind, error, from, participant = from } = attrs;
      const all = id === undefined || (kind !== undefined && kind !== 'message') ? undefined : this.#waiting.get(id);
      const waiting = all?.find(({ device }) => device === null || device === participant) ?? all?.[0];
      if (waiting === undefined) return;
      this.#remove(id!, waiting);
      if (error === undefined) waiting.resolve(saidIn(attrs));
      else waiting.reject(outcomeOf(error, saidIn(attrs)));
    });
    whenEnded.add(() => {
      this.#fail(() => true, 'the connection was lost before the network answered');
      this.#rest();
    });
  }

  /** Call before the message leaves, so that no ack is missed. Rejects as `left` does, with SendRefused or SendOutcomeUnknown. */
  wait(messageId: string, left: Promise<void>, device: string | null = null): Promise<AckSaid> {
    const { promise, resolve, reject } = Promise.withResolvers<AckSaid>();
    const waiting = { until: performance.now() + this.#timeoutMs, device, resolve, reject };
    this.#waiting.set(messageId, [...(this.#waiting.get(messageId) ?? []), waiting]);
    this.#timer ??= setInterval(() => this.#sweep(), sweepMs).unref();
    left.catch((error: unknown) => {
      this.#remove(messageId, waiting);
      reject(error);
    });
    return promise;
  }

  #sweep(): void {
    if (this.#waiting.size === 0) return this.#rest();
    const now = performance.now();
    this.#fail(({ until }) => until <= now, 'the network did not answer in time');
  }

  #fail(which: (waiting: Waiting) => boolean, why: string): void {
    for (const [messageId, all] of this.#waiting) {
      for (const waiting of all.filter(which)) {
        this.#remove(messageId, waiting);
        waiting.reject(new SendOutcomeUnknown(why));
      }
    }
  }

  #remove(messageId: string, waiting: Waiting): void {
    const left = (this.#waiting.get(messageId) ?? []).filter((each) => each !== waiting);
    if (left.length === 0) this.#waiting.delete(messageId);
    else this.#waiting.set(messageId, left);
  }

  #rest(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}

export interface AckReactionsParts {
  readonly sock: Pick<Socket, 'update'>;
  readonly creds: AuthenticationCreds;
  readonly lidMapping: Pick<LidMapping, 'refresh'>;
  readonly devices: Pick<DeviceLists, 'forget'>;
  readonly memory: Pick<DeviceMemory, 'objections'>;
  readonly doubtGroup: (group: Jid) => void;
  readonly groupSends: Pick<GroupSends, 'taken' | 'refused'>;
  readonly log: Logger;
}

/** Phones are never gone; without companions the refusal has another reason. */
const namesCompanion = ({ own, recipients }: FanOut): boolean =>
  [...own, ...recipients].some((jid) => (jidDecode(jid)?.device ?? 0) !== 0);

export class AckReactions {
  readonly #parts: AckReactionsParts;

  constructor(parts: AckReactionsParts) {
    this.#parts = parts;
  }

  taken(outbound: OutboundMessage, said: AckSaid): void {
    const { sentTo } = outbound;
    if (sentTo === undefined) return;
    if (said.phash !== null || said.refreshLid) this.#heed(outbound, sentTo, said);
    if (outbound.record.isGroup) return this.#confirm(outbound);
    const migrated = sentTo.wire.peerPhone !== null;
    const { lidMigrated } = factsOf(this.#parts.creds);
    if (outbound.byPhone === true || (migrated && lidMigrated === false)) this.#remember(migrated);
  }

  refused(outbound: OutboundMessage, { code, said }: SendRefused): boolean {
    const { record, sentTo } = outbound;
    if (record.isGroup) {
      this.#parts.groupSends.refused(outbound);
      if (code === '421') this.#doubt(record.chat, sentTo);
      return code === '421';
    }
    if (sentTo === undefined) return false;
    this.#heed(outbound, sentTo, said);
    if (code === '421' || code === '479') this.#forgetLists(sentTo);
    if (code === '463' && sentTo.wire.peerPhone === null && factsOf(this.#parts.creds).lidMigrated === false) {
      this.#remember(undefined);
    }
    if (code === '479') return namesCompanion(sentTo);
    if (code !== '400' || sentTo.wire.peerPhone === null || outbound.byPhone === true) return false;
    outbound.byPhone = true;
    return true;
  }

  #heed({ record }: OutboundMessage, sentTo: FanOut, { phash, refreshLid }: AckSaid): void {
    const { lidMapping, log } = this.#parts;
    if (phash !== null && this.#isNews(record.chat, sentTo, phash)) {
      if (record.isGroup) this.#doubt(record.chat, sentTo);
      else this.#forgetLists(sentTo);
    }
    if (!refreshLid || record.isGroup) return;
    this.#forgetLists(sentTo);
    lidMapping
      .refresh(sentTo.wire.peerPhone ?? record.chat)
      .catch((error: unknown) => log.debug({ error: messageOf(error) }, 'failed to ask for a LID again'));
  }

  /** Whether `phash` names other devices than the message went to. Acted on once, as each ack would repeat it if a new query finds no others. */
  #isNews(chat: Jid, sentTo: FanOut, phash: string): boolean {
    const devices = [...sentTo.own, ...sentTo.recipients];
    const sending = jidDecode(this.#parts.creds.me?.id)?.device ?? 0;
    if (isHashOf(phash, devices, sentTo.wire.own.replace('@', `:${sending}@`))) return false;
    const objection = [phash, ...devices].join(' ');
    const { objections } = this.#parts.memory;
    if (objections.get(chat) === objection) return false;
    objections.set(chat, objection);
    return true;
  }

  #forgetLists({ wire }: FanOut): void {
    const { me } = this.#parts.creds;
    this.#parts.devices.forget([wire.to, wire.peerPhone, me?.id, me?.lid]);
  }

  #doubt(group: Jid, sentTo: FanOut | undefined): void {
    this.#parts.devices.forget((sentTo?.recipients ?? []).map(withoutDevice));
    this.#parts.doubtGroup(group);
  }

  #confirm(outbound: OutboundMessage): void {
    const { groupSends, log } = this.#parts;
    groupSends
      .taken(outbound)
      .catch((error: unknown) => log.warn({ error: messageOf(error) }, 'failed to write who holds a sender key'));
  }

  #remember(lidMigrated: boolean | undefined): void {
    const { sock, creds } = this.#parts;
    if (factsOf(creds).lidMigrated !== lidMigrated) keepFacts(sock, creds, { lidMigrated });
  }
}
