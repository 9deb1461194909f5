/** Under which address a person's records are kept: the LID where it is known, else the phone number. */
import { addressOf, lidUserOf, phoneUserOf, type SignalAddress, underLid, underPhone } from './addresses.ts';
import type { LidPairs } from './lid-pairs.ts';

export interface Resolution {
  /** One person's device has one address, one lock and one record. */
  resolve(jid: string): Promise<SignalAddress>;
  /** False when the person's LID became known after `resolve`. */
  isCurrent(address: SignalAddress): boolean;
  /** The phone address of a LID address, where the two belong together now. */
  formerly(address: SignalAddress): Promise<SignalAddress | null>;
}

export const makeResolution = (pairs: LidPairs): Resolution => ({
  async resolve(jid) {
    const address = addressOf(jid);
    const phoneUser = phoneUserOf(address);
    const lidUser = phoneUser === null ? null : await pairs.lidOf(phoneUser);
    return lidUser === null ? address : underLid(address, lidUser);
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
