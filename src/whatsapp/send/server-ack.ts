/**
 * The network's acknowledgements of messages: the wait for them, and the reactions to what they say, besides storing the outcome. A message is sent once more in three cases only, at most once and
 * under the same id: the network has refused the first attempt, which certainly reached nobody.
 *
 * | said          | reaction                                                                          | source                                             |
 * | `phash`       | differs: the lists of recipient and own account are dropped; a group is asked for again | whatsmeow send.go (2026-08-21), whatsapp-rust #524  |
 * | `refresh_lid` | the LID is asked for again, by the phone number                                    | whatsapp-rust #1313 (2026-08-16), Baileys #2661     |
 * | 400 to a LID  | once more by phone number; where that is taken, the account is not migrated        | whatsapp-rust #941 (2026-07-02)                     |
 * | 421           | the group and its members' lists are asked for again; once more                  | zapo WaMessageDispatchCoordinator (2026-08-19)      |
 * | 463           | never once more; sent by number: the LID is tried with the next message            | OpenWA #717 (2026-07-12)                            |
 * | 475           | never once more                                                                    | zapo protocol/message.ts (2026-08-19)               |
 * | 479           | the lists are dropped; once more where it named companions: one may be gone        | Baileys #2794 (2026-09-07)                          |
 */
import type { BinaryNode } from '../engine/nodes.ts';
import type { WASocket, AuthenticationCreds } from '../engine/types.ts';
import { SendOutcomeUnknown, messageOf } from '../../errors.ts';
import { jidDecode } from '../engine/jid.ts';
import { type Jid, withoutDevice } from '../../domain/jid.ts';
import type { Logger } from '../../log.ts';
import { factsOf, keepFacts } from '../identity/account.ts';
import type { DeviceLists, FanOut } from '../identity/addressing.ts';
import type { DeviceMemory } from '../state/device-memory.ts';
import type { GroupSends } from './group-sends.ts';
import type { OutboundMessage } from './outbox.ts';
import { isHashOf } from '../identity/hashes.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';

/** The error code for a chat that does not exist. */
export const noSuchChat = '404';

/** The error code for a group that the account is not in. */
export const notAMember = '403';

/** Hints in an ack, beside the acceptance or refusal itself. */
export interface AckSaid {
  /** A hash of the devices that the message should have gone to. */
  readonly phash: string | null;
  /** The recipient has another LID by now. */
  readonly refreshLid: boolean;
}

export const nothingSaid: AckSaid = { phash: null, refreshLid: false };

/** The network has refused the message: it certainly went nowhere. */
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
  // In whole words: `failure.ts`.
  463: 'the network does not let this chat begin',
  475: 'the account has begun as many new chats as the network allows',
  479: 'the network found the message malformed, mostly for a device that is no longer there',
};

/** An error of the network's own: it may have taken the message before. */
const isInternal = (code: string): boolean => /^5\d\d$/.test(code);

const outcomeOf = (code: string, said: AckSaid): Error =>
  isInternal(code)
    ? new SendOutcomeUnknown(
        `the network reported an internal error (error ${code}): it may have taken the message or not`,
      )
    : new SendRefused(code, said);

const saidIn = ({ phash, refresh_lid: refreshLid }: BinaryNode['attrs']): AckSaid =>
  phash === undefined && refreshLid === undefined
    ? nothingSaid
    : { phash: phash ?? null, refreshLid: refreshLid === 'true' };

interface Waiting {
  readonly until: number;
  resolve(said: AckSaid): void;
  reject(error: unknown): void;
}

/** How long the network may take; a request lasts 30 s at most (docs/spec/http-interface.md, Errors). */
const usualTimeoutMs = 20_000;
const sweepMs = 1_000;

/** All that one connection waits for: one listener and one timer, however many messages are under way. */
export class Acks {
  /** A message and its copies for single devices have one id, and are acknowledged in the order in which they left. */
  readonly #waiting = new Map<string, readonly Waiting[]>();
  readonly #timeoutMs: number;
  #timer: NodeJS.Timeout | null = null;

  constructor(sock: Pick<WASocket, 'ws'>, whenEnded: Set<(error: unknown) => void>, timeoutMs = usualTimeoutMs) {
    this.#timeoutMs = timeoutMs;
    sock.ws.on('CB:ack', ({ attrs }: BinaryNode) => {
      const { id, class: kind, error } = attrs;
      const waiting =
        id === undefined || (kind !== undefined && kind !== 'message') ? undefined : this.#waiting.get(id)?.[0];
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

  /** To be called before the message leaves, so that no answer is missed. Rejects as `left` does, with SendRefused or SendOutcomeUnknown. */
  wait(messageId: string, left: Promise<void>): Promise<AckSaid> {
    const { promise, resolve, reject } = Promise.withResolvers<AckSaid>();
    const waiting = { until: performance.now() + this.#timeoutMs, resolve, reject };
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
  readonly sock: Pick<WASocket, 'ev'>;
  readonly creds: AuthenticationCreds;
  readonly lidMapping: Pick<LidMapping, 'refresh'>;
  readonly devices: Pick<DeviceLists, 'forget'>;
  readonly memory: Pick<DeviceMemory, 'objections'>;
  /** Tells that a group is kept wrongly. */
  readonly doubtGroup: (group: Jid) => void;
  readonly groupSends: Pick<GroupSends, 'taken' | 'refused'>;
  readonly log: Logger;
}

/** Phones are never gone; with no companion among the devices, the refusal has another reason. */
const namesCompanion = ({ own, recipients }: FanOut): boolean =>
  [...own, ...recipients].some((jid) => (jidDecode(jid)?.device ?? 0) !== 0);

export class AckReactions {
  readonly #parts: AckReactionsParts;

  constructor(parts: AckReactionsParts) {
    this.#parts = parts;
  }

  /** After the network has taken a message. */
  taken(outbound: OutboundMessage, said: AckSaid): void {
    const { sentTo } = outbound;
    if (sentTo === undefined) return;
    if (said.phash !== null || said.refreshLid) this.#heed(outbound, sentTo, said);
    if (outbound.record.isGroup) return this.#confirm(outbound);
    const migrated = sentTo.wire.peerPhone !== null;
    const { lidMigrated } = factsOf(this.#parts.creds);
    if (outbound.byPhone === true || (migrated && lidMigrated === false)) this.#remember(migrated);
  }

  /** After it has refused one: whether it is to be sent once more, as `outbound` is now. */
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

  /** Whether `phash` names other devices than the message went to. Heeded once: if a new look-up finds no others, each ack would repeat it. */
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

  /** Members and their devices are asked for again. */
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
