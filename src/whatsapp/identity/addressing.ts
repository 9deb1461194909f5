/**
 * Which of a person's two addresses a message goes to. All of a stanza is in the namespace of its `to`: participants, own devices, the copy for
 * them, tokens (a mixed one is refused with 400: whatsapp-rust #730, 2026-06-05).
 *
 * Rule: the LID wherever the account is migrated, or may be, and the person has one that is known or can be asked for; the phone JID goes beside it
 * as `peer_recipient_pn`. Source: whatsmeow `send.go` (2026-08-21), zapo `WaMessageDispatchCoordinator` (2026-08-19), OpenWA #717 (2026-07-12: 463 to
 * the number, delivered to the LID).
 * Contested: WhatsApp Web and whatsapp-rust #943 (2026-07-02) take the number where nothing is known of the account; on an account that is not
 * migrated each message to a LID is refused with 400. So a 400 is answered by one try with the number, and what worked is remembered.
 */
import type { AuthenticationCreds } from '../engine/types.ts';
import { type Addresses, type Jid, jidKind } from '../../domain/jid.ts';
import { factsOf, meOf } from '../login/account.ts';
import { type DeviceLists, deviceJid } from './device-lists.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';

/** Assumed for an account whose migration state is unknown. */
const migratedWhereUnknown = true;

export interface Wire {
  /** The recipient, in the one namespace of the stanza. */
  readonly to: Jid;
  /** The recipient's phone JID, where `to` is a LID and the number is known. */
  readonly peerPhone: Jid | null;
  /** The own account, in the same namespace. */
  readonly own: Jid;
}

type Mapping = Pick<LidMapping, 'find' | 'peek' | 'addressesOf' | 'getLIDForPN' | 'refresh'>;

export const isLidMigrated = (creds: AuthenticationCreds): boolean =>
  factsOf(creds).lidMigrated ?? migratedWhereUnknown;

export class Addressing {
  readonly #creds: AuthenticationCreds;
  readonly #mapping: Mapping;

  constructor(creds: AuthenticationCreds, mapping: Mapping) {
    this.#creds = creds;
    this.#mapping = mapping;
  }

  /** `byPhone`: the LID was refused. */
  async of(chat: Jid, byPhone = false): Promise<Wire> {
    const mapping = this.#mapping;
    const known = mapping.find(chat) ?? (await mapping.addressesOf(chat));
    const number = byPhone || !isLidMigrated(this.#creds);
    if (number || known.lid !== null) return this.#wire(chat, known, number);
    await mapping.getLIDForPN(chat);
    return this.#wire(chat, mapping.peek(chat), number);
  }

  /** After the network named no device at `former`: the LID is asked for again, and used whatever was said of the account. */
  async anew(chat: Jid, former: Wire): Promise<Wire> {
    await this.#mapping.refresh(former.peerPhone ?? chat);
    return this.#wire(chat, this.#mapping.peek(chat), false);
  }

  #wire(chat: Jid, { phone, lid }: Addresses, byPhone: boolean): Wire {
    const me = meOf(this.#creds);
    const to = lid !== null && me.lid !== null && (phone === null || !byPhone) ? lid : (phone ?? chat);
    if (jidKind(to) !== 'lid') return { to, peerPhone: null, own: me.phone };
    return { to, peerPhone: phone, own: me.lid ?? me.phone };
  }
}

/** The devices that a message is encrypted for: every device of its recipient, and the other ones of the own account. */
export interface FanOut {
  readonly wire: Wire;
  /** The other devices of the own account. */
  readonly own: readonly string[];
  /** The devices of the recipient; none only for a message to oneself. */
  readonly recipients: readonly string[];
}

/** Nobody has the address: nothing was sent. */
export class NoSuchAccount extends Error {}

const isSelf = ({ to, own }: Wire): boolean => to === own;

const devicesAt = async (lists: DeviceLists, wire: Wire): Promise<FanOut> => {
  const [own = [], others = []] = await lists.of([wire.own, wire.to]);
  return { wire, own: own.map(deviceJid), recipients: wire.to === wire.own ? [] : others.map(deviceJid) };
};

/**
 * `byPhone`: the recipient's LID was refused. Throws when the recipient has no device, since a message to the own devices alone
 * reaches nobody.
 */
export const fanOutOf = async (
  addressing: Addressing,
  lists: DeviceLists,
  chat: Jid,
  byPhone: boolean,
): Promise<FanOut> => {
  const found = await devicesAt(lists, await addressing.of(chat, byPhone));
  if (found.recipients.length > 0 || isSelf(found.wire)) return found;
  if (byPhone) throw new Error('the network refuses the LID and names no device by phone number');
  return askAgain(addressing, lists, chat, found.wire);
};

/** An empty list is asked for once more: an account that has migrated has none by its number (Baileys #2794, 2026-09-07), and a LID may be a former one. */
const askAgain = async (addressing: Addressing, lists: DeviceLists, chat: Jid, former: Wire): Promise<FanOut> => {
  const wire = await addressing.anew(chat, former);
  lists.forget([former.to, wire.to]);
  const found = await devicesAt(lists, wire);
  if (found.recipients.length > 0) return found;
  if (wire.peerPhone === null) throw new NoSuchAccount('the network knows no account at this address');
  throw new Error('the network names no device of the recipient, which was asked twice: nothing was sent');
};
