/** People, by either of the addresses that the network has for them. */
import type { Person } from './parts.ts';

/** Names of a person that nobody else has: two descriptions of the same person share one. */
export const namesOf = ({ jid, number, lid }: Person): readonly string[] => [
  jid,
  ...(lid === null ? [] : [lid]),
  ...(number === null ? [] : [`+${number}`]),
];

/** Whether two descriptions of a person have an address in common. */
export const isSamePerson = (one: Person, other: Person): boolean =>
  one.jid === other.jid ||
  (one.number !== null && one.number === other.number) ||
  (one.lid !== null && (one.lid === other.lid || one.lid === other.jid)) ||
  (other.lid !== null && other.lid === one.jid);
