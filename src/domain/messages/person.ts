/** People, by either of their addresses. */
import type { Person } from './parts.ts';

export const namesOf = ({ jid, number, lid }: Person): readonly string[] => [
  jid,
  ...(lid === null ? [] : [lid]),
  ...(number === null ? [] : [`+${number}`]),
];

export const isSamePerson = (one: Person, other: Person): boolean =>
  one.jid === other.jid ||
  (one.number !== null && one.number === other.number) ||
  (one.lid !== null && (one.lid === other.lid || one.lid === other.jid)) ||
  (other.lid !== null && other.lid === one.jid);
