/** People, by either of the addresses that the network has for them. */
import type { Person } from './parts.ts';

/** Whether two descriptions of a person have an address in common. */
export const isSamePerson = (one: Person, other: Person): boolean =>
  one.jid === other.jid ||
  (one.number !== null && one.number === other.number) ||
  (one.lid !== null && (one.lid === other.lid || one.lid === other.jid)) ||
  (other.lid !== null && other.lid === one.jid);
