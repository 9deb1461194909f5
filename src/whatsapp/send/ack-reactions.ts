/**
 * Reactions to the acknowledgement of a message, besides storing its outcome. A message is sent once more in three cases only, at most once and
 * under the same id: the network has refused the first attempt, which certainly reached nobody.
 *
 * | said          | reaction                                                                          | source                                             |
 * | `phash`       | differs: the lists of recipient and own account, or of a group, are dropped        | whatsmeow send.go (2026-08-21), whatsapp-rust #524  |
 * | `refresh_lid` | the LID is asked for again, by the phone number                                    | whatsapp-rust #1313 (2026-08-16), Baileys #2661     |
 * | 400 to a LID  | once more by phone number; where that is taken, the account is not migrated        | whatsapp-rust #941 (2026-07-02)                     |
 * | 421           | a group's metadata and its members' lists are dropped; once more                   | zapo WaMessageDispatchCoordinator (2026-08-19)      |
 * | 463           | never once more; sent by number: the LID is tried with the next message            | OpenWA #717 (2026-07-12)                            |
 * | 475           | never once more                                                                    | zapo protocol/message.ts (2026-08-19)               |
 * | 479           | the lists are dropped; once more where it named companions: one may be gone        | Baileys #2794 (2026-09-07)                          |
 */
import { jidDecode } from '../engine/jid.ts';
import type { AuthenticationCreds, WASocket } from '../engine/types.ts';
import type { Jid } from '../../domain/jid.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { factsOf, keepFacts } from '../login/account.ts';
import type { DeviceLists } from '../identity/device-lists.ts';
import type { DeviceMemory } from '../login/device-memory.ts';
import type { FanOut } from '../identity/addressing.ts';
import type { OutboundMessage } from './outbox.ts';
import { isHashOf } from '../identity/participant-hash.ts';
import type { AckSaid, SendRefused } from './server-ack.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';

export interface AckReactionsParts {
  readonly sock: Pick<WASocket, 'ev'>;
  readonly creds: AuthenticationCreds;
  readonly lidMapping: Pick<LidMapping, 'refresh'>;
  readonly devices: Pick<DeviceLists, 'forget'>;
  readonly memory: Pick<DeviceMemory, 'groups' | 'objections'>;
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
    if (outbound.record.isGroup) return;
    const migrated = sentTo.wire.peerPhone !== null;
    const { lidMigrated } = factsOf(this.#parts.creds);
    if (outbound.byPhone === true || (migrated && lidMigrated === false)) this.#remember(migrated);
  }

  /** After it has refused one: whether it is to be sent once more, as `outbound` is now. */
  refused(outbound: OutboundMessage, { code, said }: SendRefused): boolean {
    const { record, sentTo } = outbound;
    if (record.isGroup) {
      if (code === '421') this.#forgetGroup(record.chat);
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
      if (record.isGroup) this.#forgetGroup(record.chat);
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

  #forgetGroup(group: Jid): void {
    const { memory, devices } = this.#parts;
    const members = memory.groups.get(group)?.participants ?? [];
    devices.forget(members.flatMap(({ id, lid, phoneNumber }) => [id, lid, phoneNumber]));
    memory.groups.delete(group);
  }

  #remember(lidMigrated: boolean | undefined): void {
    const { sock, creds } = this.#parts;
    if (factsOf(creds).lidMigrated !== lidMigrated) keepFacts(sock, creds, { lidMigrated });
  }
}
