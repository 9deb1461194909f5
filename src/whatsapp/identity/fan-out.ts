/** Whom a message is encrypted for: every device of its recipient, and the other ones of the own account. */
import type { Jid } from '../../domain/jid.ts';
import type { Addressing, Wire } from './addressing.ts';
import { type DeviceEntry, type DeviceLists, deviceJid } from './device-lists.ts';

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

/** One look at addresses and lists for each chat of a batch. */
export class FanOuts {
  readonly #addressing: Addressing;
  readonly #lists: DeviceLists;
  readonly #known = new Map<string, FanOut>();

  constructor(addressing: Addressing, lists: DeviceLists) {
    this.#addressing = addressing;
    this.#lists = lists;
  }

  /** `byPhone`: the recipient's LID was refused. Throws where the recipient has no device: a message to the own devices alone is none. */
  async of(chat: Jid, byPhone: boolean): Promise<FanOut> {
    const name = byPhone ? `phone ${chat}` : chat;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const wire = this.#addressing.of(chat, byPhone);
    const found = await this.#devicesAt(wire instanceof Promise ? await wire : wire);
    const isReached = found.recipients.length > 0 || isSelf(found.wire);
    if (!isReached && byPhone) throw new Error('the network refuses the LID and names no device by phone number');
    const fanOut = isReached ? found : await this.#anew(chat, found.wire);
    this.#known.set(name, fanOut);
    return fanOut;
  }

  async #devicesAt(wire: Wire): Promise<FanOut> {
    const asked = this.#lists.of([wire.own, wire.to]);
    const [own = [], others = []] = asked instanceof Promise ? await asked : asked;
    return { wire, own: jidsOf(own), recipients: isSelf(wire) ? [] : jidsOf(others) };
  }

  /** An empty list is asked for once more: an account that has migrated has none by its number (Baileys #2794, 2026-09-07), and a LID may be a former one. */
  async #anew(chat: Jid, former: Wire): Promise<FanOut> {
    const wire = await this.#addressing.anew(chat, former);
    this.#lists.forget([former.to, wire.to]);
    const found = await this.#devicesAt(wire);
    if (found.recipients.length > 0) return found;
    if (wire.peerPhone === null) throw new NoSuchAccount('the network knows no account at this address');
    throw new Error('the network names no device of the recipient, which was asked twice: nothing was sent');
  }
}

const jidsOf = (devices: readonly DeviceEntry[]): readonly string[] => [...new Set(devices.map(deviceJid))];
