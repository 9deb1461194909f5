/** Finds the group or community that an earlier request with the same idempotency key created, if its answer was lost. */
import type { KeptGroup } from '../../domain/groups/group.ts';
import type { Groups } from '../../domain/groups/port.ts';
import { isSamePerson } from '../../domain/messages/parts.ts';
import type { LiveParts } from '../parts.ts';
import { isSince } from '../sending/send-once.ts';
import type { DeviceScope } from '../sessions/runtimes.ts';

interface Creation {
  readonly key: string;
  readonly subject: string;
  /** When an earlier run began; null: there was none. */
  readonly since: number | null;
  readonly isCommunity: boolean;
}

/** The one stored with the key; otherwise one of the same subject, owner and time. */
export const createdEarlier = async (
  { stores, scope, groups }: Pick<LiveParts, 'stores'> & { readonly scope: DeviceScope; readonly groups: Groups },
  { key, subject, since, isCommunity }: Creation,
): Promise<KeptGroup | null> => {
  const { account } = await scope.record();
  if (since === null || account === null) return null;
  await groups.list(true);
  // The group for announcements, too, has the subject of its community.
  const own = (await stores.groups.all(scope.id)).filter(
    (group) => group.isMember && group.isCommunity === isCommunity && group.community?.role !== 'announcements',
  );
  const isLike = (group: KeptGroup): boolean =>
    group.createKey === undefined &&
    group.subject === subject &&
    group.owner !== null &&
    isSamePerson(group.owner, { ...account, number: account.phoneNumber }) &&
    isSince(group.createdAt, since);
  return own.find(({ createKey }) => createKey === key) ?? own.find(isLike) ?? null;
};
