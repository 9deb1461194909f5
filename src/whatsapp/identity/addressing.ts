/** The addresses and devices that a message is encrypted for: which of a person's two addresses it goes to, and the devices there. */
import { jidDecode } from '../engine/jid.ts';
import type { BinaryNode } from '../engine/nodes.ts';
import type { AuthenticationCreds, WASocket } from '../engine/types.ts';
import { type Jid, jidUser, type Addresses, jidKind } from '../../domain/jid.ts';
import type { BoundedCache } from '../engine/bounded-cache.ts';
import { contactHashesIn, usersByHash } from './hashes.ts';
import { plainJid } from './people.ts';
import { askDevices, type ListedDevice } from '../engine/account-queries.ts';
import { factsOf, meOf } from './account.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';

export const deviceListsLiveMs = 3_600_000;

/** As the engine keeps it, which sends to groups by these lists too. */
export interface DeviceEntry {
  readonly user: string;
  readonly server: string;
  readonly device: number;
}

export type DeviceListCache = BoundedCache<readonly DeviceEntry[]>;

export interface DeviceListsOptions {
  readonly sock: Pick<WASocket, 'executeUSyncQuery' | 'ws'>;
  readonly creds: AuthenticationCreds;
  readonly cache: DeviceListCache;
  readonly mapping: Pick<LidMapping, 'peek'>;
}

const isLid = (server: string): boolean => server.endsWith('lid');

const serverOf = (jid: Jid, { isHosted }: ListedDevice): string => {
  if (isLid(jid)) return isHosted ? 'hosted.lid' : 'lid';
  return isHosted ? 'hosted' : 's.whatsapp.net';
};

export const deviceJid = ({ user, server, device }: DeviceEntry): string =>
  device === 0 ? `${user}@${server}` : `${user}:${device}@${server}`;

/** The most of one answer that is kept: the network allows four companions, and this many only a broken one would tell. */
const maxDevices = 100;

/**
 * The devices of accounts, by the address that they were asked for: a message by LID goes to LID devices, one by phone number to phone devices.
 *
 * Rule: a list is used for an hour at most, and dropped when a `devices` notification, an acknowledgement or an error says that it is wrong. A list
 * that has changed is asked for anew, never mended: the network's answer is the whole truth, and costs one question. Source: whatsmeow `user.go`
 * and `notification.go` (2026-08-21), which mend it and drop it where the hash does not fit; Baileys mends the list of the phone number alone
 * (rc14, `handleDevicesNotification`).
 */
export class DeviceLists {
  readonly #options: DeviceListsOptions;
  /** How often lists were dropped: an answer that was on its way then may be older. */
  #dropped = 0;
  /** Null where a list has come since it was made. */
  #usersByHash: ReturnType<typeof usersByHash> | null = null;

  constructor(options: DeviceListsOptions) {
    this.#options = options;
    const { ws } = options.sock;
    // Before the engine, which mends the list that it finds, and only one of the two.
    ws.on('CB:notification,type:devices', (node: BinaryNode) => this.#heed(node));
    ws.on('CB:notification,type:account_sync', () => this.forget(this.#own()));
  }

  /** The lists of accounts, in order; an empty one for an account that the network names no device of. The sending device is in none. */
  async of(jids: readonly Jid[]): Promise<readonly (readonly DeviceEntry[])[]> {
    const lists: (readonly DeviceEntry[])[] = [];
    const missing: Jid[] = [];
    for (const jid of jids) {
      const list = this.#options.cache.get(jidUser(jid));
      // Digits are a LID or a number: the list of the one is none of the other's.
      const isKnown = list !== undefined && (list[0]?.server.endsWith('lid') ?? false) === jid.endsWith('lid');
      lists.push(isKnown ? list : []);
      if (!isKnown) missing.push(jid);
    }
    if (missing.length === 0) return lists;
    const asked = await this.#ask([...new Set(missing)]);
    return jids.map((jid, index) => (missing.includes(jid) ? (asked.get(jid) ?? []) : lists[index]!));
  }

  forget(jids: readonly (Jid | null | undefined)[]): void {
    this.#dropped += 1;
    for (const jid of jids) if (jid) this.#options.cache.delete(jidUser(jid));
  }

  /** A change that names no device names the account by a hash, and is sent in the own account's name. */
  #heed(node: BinaryNode): void {
    const hashes = contactHashesIn(node);
    if (hashes.length === 0) return this.forget(accountsIn(node));
    const { cache, mapping } = this.#options;
    const users = (this.#usersByHash ??= usersByHash(cache, mapping));
    this.forget(hashes.flatMap((hash) => [...(users.get(hash) ?? [])]));
  }

  #own(): (string | undefined)[] {
    const { me } = this.#options.creds;
    return [me?.id, me?.lid];
  }

  async #ask(jids: readonly Jid[]): Promise<ReadonlyMap<Jid, readonly DeviceEntry[]>> {
    const before = this.#dropped;
    const answer = await askDevices(this.#options.sock, jids);
    const lists = new Map<Jid, readonly DeviceEntry[]>();
    for (const [jid, devices] of answer) {
      const plain = plainJid(jid);
      if (!jids.includes(plain)) continue;
      const list = this.#usable(plain, devices.slice(0, maxDevices));
      lists.set(plain, list);
      if (list.length === 0 || before !== this.#dropped) continue;
      this.#options.cache.set(jidUser(plain), list);
      this.#usersByHash = null;
    }
    return lists;
  }

  /** Each once, and without the device that sends: the engine leaves it in the account's list by LID (rc14, `extractDeviceJids`). */
  #usable(jid: Jid, devices: readonly ListedDevice[]): readonly DeviceEntry[] {
    const user = jidUser(jid);
    const own = this.#own().some((each) => each !== undefined && jidUser(each) === user);
    const sending = own ? (jidDecode(this.#options.creds.me?.id)?.device ?? 0) : null;
    const byId = new Map(devices.map((device) => [device.id, device]));
    return [...byId.values()]
      .filter(({ id }) => id !== sending)
      .map((device) => ({ user, server: serverOf(jid, device), device: device.id }));
  }
}

/** Every account that a notification names, by both of its addresses: in 2026 it is one `<device jid=PN:n lid=LID:n>`. */
const accountsIn = ({ attrs, content }: BinaryNode): (string | undefined)[] => {
  const changes = Array.isArray(content) ? content : [];
  const devices = changes.flatMap((change) => (Array.isArray(change.content) ? change.content : []));
  return [attrs.from, attrs.lid, ...devices.flatMap((device) => [device.attrs.jid, device.attrs.lid])];
};

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
