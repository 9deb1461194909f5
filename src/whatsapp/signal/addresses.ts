/** Signal addresses: how the protocol names the device behind a JID. */
import { jidDecode } from '../library/jid.ts';

export interface SignalAddress {
  readonly name: string;
  readonly device: number;
}

const spaces = { phone: 0, lid: 1, hosted: 128, hostedLid: 129 } as const;
const hostedDevice = 99;

const named = (user: string, domain: number, device: number): SignalAddress => ({
  name: domain === spaces.phone ? user : `${user}_${domain}`,
  device,
});

export const addressOf = (jid: string): SignalAddress => {
  const decoded = jidDecode(jid);
  if (!decoded || decoded.user === '') throw new Error('a Signal address needs a JID with a user');
  const { user, server, domainType } = decoded;
  const device = decoded.device ?? 0;
  if (device === hostedDevice && server !== 'hosted' && server !== 'hosted.lid') {
    throw new Error('Device 99 is for hosted accounts only');
  }
  return { name: domainType === undefined || domainType === spaces.phone ? user : `${user}_${domainType}`, device };
};

export const sessionId = ({ name, device }: SignalAddress): string => `${name}.${device}`;

export const senderKeyId = (group: string, { name, device }: SignalAddress): string => `${group}::${name}::${device}`;

const parts = ({ name }: SignalAddress): { user: string; domain: number } => {
  const end = name.indexOf('_');
  return end === -1
    ? { user: name, domain: spaces.phone }
    : { user: name.slice(0, end), domain: Number(name.slice(end + 1)) };
};

/** The user of a phone address, including hosted ones; null for others. */
export const phoneUserOf = (address: SignalAddress): string | null => {
  // Fast path: usually a LID.
  if (address.name.endsWith('_1')) return null;
  const { user, domain } = parts(address);
  return domain === spaces.phone || domain === spaces.hosted ? user : null;
};

/** The user of a LID address, including hosted ones; null for others. */
export const lidUserOf = (address: SignalAddress): string | null => {
  const { user, domain } = parts(address);
  return domain === spaces.lid || domain === spaces.hostedLid ? user : null;
};

export const underLid = (phone: SignalAddress, lidUser: string): SignalAddress =>
  named(lidUser, parts(phone).domain === spaces.hosted ? spaces.hostedLid : spaces.lid, phone.device);

export const underPhone = (lid: SignalAddress, phoneUser: string): SignalAddress =>
  named(phoneUser, parts(lid).domain === spaces.hostedLid ? spaces.hosted : spaces.phone, lid.device);

export const phoneDevice = (user: string, device: number): SignalAddress =>
  named(user, device === hostedDevice ? spaces.hosted : spaces.phone, device);
