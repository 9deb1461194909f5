/** The hash of the devices that a message goes to, by which the network tells a sender that its lists are old. */
import { createHash } from 'node:crypto';
import { jidDecode } from '../engine/jid.ts';

const bytesOfIt = 6;

const spelled = (jid: string): string => {
  const { user = '', device = 0, server = '' } = jidDecode(jid) ?? {};
  return `${user}.0:${device}@${server}`;
};

const hashOf = (jids: readonly string[]): string =>
  createHash('sha256').update(jids.map(spelled).sort().join('')).digest().subarray(0, bytesOfIt).toString('base64');

/**
 * Whether `told` is the hash of these devices.
 *
 * Source: whatsmeow `participantListHashV2` (2026-08-21), zapo `phash.ts` (2026-08-19). Contested: those two count the sending device in, whatsapp-rust
 * (2026-04-30) leaves it out and writes base64 for URLs. Either is taken, for a hash that fits is a list that is right.
 */
export const isHashOf = (told: string, jids: readonly string[], sending: string): boolean => {
  const hash = told.replace(/^2:/, '').replaceAll('-', '+').replaceAll('_', '/');
  return hash === hashOf([...jids, sending]) || hash === hashOf(jids);
};

/** The hash of the devices that a message goes to, and the one that sends it, as a message to a group names it. */
export const participantHash = (jids: readonly string[], sending: string): string => `2:${hashOf([...jids, sending])}`;
