/** The devices that a message is encrypted for: every device of its recipient, and the other ones of the own account. */
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

const jidsOf = (devices: readonly DeviceEntry[] = []): readonly string[] => [...new Set(devices.map(deviceJid))];

const devicesAt = async (lists: DeviceLists, wire: Wire): Promise<FanOut> => {
  const [own, others] = await lists.of([wire.own, wire.to]);
  return { wire, own: jidsOf(own), recipients: isSelf(wire) ? [] : jidsOf(others) };
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
