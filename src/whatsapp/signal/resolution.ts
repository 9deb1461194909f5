/** Under which address a person's records are kept: the LID where it is known, else the phone number. */
import { addressOf, lidUserOf, phoneUserOf, type SignalAddress, underLid, underPhone } from './addresses.ts';
import type { LidPairs } from './lid-pairs.ts';

export interface Resolution {
  /** One person's device has one address, one lock and one record. */
  resolve(jid: string): Promise<SignalAddress>;
  /** Each JID once, with its address. */
  resolveAll(jids: readonly string[]): Promise<ReadonlyMap<string, SignalAddress>>;
  /** False when the person's LID became known after `resolve`. */
  isCurrent(address: SignalAddress): boolean;
  /** The phone address of a LID address, where the two belong together now. */
  formerly(address: SignalAddress): Promise<SignalAddress | null>;
}

const under = (address: SignalAddress, lidUser: string | null): SignalAddress =>
  lidUser === null ? address : underLid(address, lidUser);

export const makeResolution = (pairs: LidPairs): Resolution => ({
  async resolve(jid) {
    const address = addressOf(jid);
    const phoneUser = phoneUserOf(address);
    return under(address, phoneUser === null ? null : await pairs.lidOf(phoneUser));
  },
  async resolveAll(jids) {
    const addresses = new Map<string, SignalAddress>();
    for (const jid of jids) {
      if (addresses.has(jid)) continue;
      const address = addressOf(jid);
      const phoneUser = phoneUserOf(address);
      let lidUser = phoneUser === null ? null : pairs.cachedLidOf(phoneUser);
      // Mostly nothing has to be waited for.
      if (lidUser === undefined) lidUser = await pairs.lidOf(phoneUser!);
      addresses.set(jid, under(address, lidUser));
    }
    return addresses;
  },
  isCurrent(address) {
    const phoneUser = phoneUserOf(address);
    return phoneUser === null || (pairs.cachedLidOf(phoneUser) ?? null) === null;
  },
  async formerly(address) {
    const lidUser = lidUserOf(address);
    const phoneUser = lidUser === null ? null : await pairs.phoneOf(lidUser);
    if (phoneUser === null || (await pairs.lidOf(phoneUser)) !== lidUser) return null;
    return underPhone(address, phoneUser);
  },
});
