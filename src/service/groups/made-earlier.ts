/** A group that was made by an earlier request under the same `Idempotency-Key`, whose answer was lost (docs/spec/groups.md, Making a group). */
import type { KeptGroup, MemberResult } from '../../domain/groups/group.ts';
import type { ActResult, Groups } from '../../domain/groups/port.ts';
import type { Jid } from '../../domain/jid.ts';
import type { Person } from '../../domain/messages/parts.ts';
import { isSamePerson } from '../../domain/messages/person.ts';
import type { GroupStore } from '../../domain/stores.ts';

/** The network's clock and the service's may differ by this. */
const skewMs = 60_000;

interface Request {
  /** The key of the request, which the network is not told. */
  readonly key: string;
  readonly subject: string;
  /** When it began, ms. */
  readonly since: number;
  readonly owner: Person;
}

/** The group that is kept with the key; where the answer was lost, one of that subject, owner and time. Null: nothing was made. */
export const groupMadeBy = async (
  { key, subject, since, owner }: Request,
  groups: Groups,
  kept: () => ReturnType<GroupStore['all']>,
): Promise<KeptGroup | null> => {
  await groups.list(true);
  const own = (await kept()).filter(({ isMember }) => isMember);
  const isLike = (group: KeptGroup): boolean =>
    group.createKey === undefined &&
    group.subject === subject &&
    group.owner !== null &&
    isSamePerson(group.owner, owner) &&
    group.createdAt !== null &&
    group.createdAt >= since - skewMs;
  return own.find(({ createKey }) => createKey === key) ?? own.find(isLike) ?? null;
};

/** Adds those who are no members again, so that there is a result for everybody. */
export const completed = async (
  groups: Groups,
  group: KeptGroup,
  people: readonly Jid[],
): Promise<{ group: KeptGroup; results: readonly ActResult[] }> => {
  const members = group.members.map(({ person }) => person);
  const memberOf = (jid: Jid): Person | undefined => members.find((each) => each.jid === jid || each.lid === jid);
  const there = people.flatMap((jid): MemberResult[] => {
    const person = memberOf(jid);
    return person === undefined ? [] : [{ person, result: 'added', reason: null }];
  });
  const missing = people.filter((jid) => memberOf(jid) === undefined);
  if (missing.length === 0) return { group, results: there };
  const added = await groups.changeMembers(group.jid, 'add', missing);
  return { group: await groups.current(group.jid), results: [...there, ...added] };
};
