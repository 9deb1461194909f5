/** Keeps who is who in groups that are stored already: versions before 2026-11-26 did not keep the pairs that their descriptions told. */
import { groupsListed } from '../../domain/groups/group.ts';
import type { GroupStore } from '../../domain/stores.ts';
import type { SessionStore } from '../state/session-store.ts';
import type { LidPair } from '../signal/lid-inquiry.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import { jidUser } from '../../domain/jid.ts';

interface Parts {
  readonly deviceId: number;
  readonly store: Pick<SessionStore, 'commit' | 'readKeys'>;
  readonly groups: Pick<GroupStore, 'all'>;
  readonly lidMapping: Pick<LidMapping, 'pairs'>;
}

const done = { type: groupsListed.type, id: 'members-learned' };

/** Once for each link; a pair that is known by now is newer. */
export const learnKeptMembers = async ({ deviceId, store, groups, lidMapping: { pairs } }: Parts): Promise<void> => {
  if ((await store.readKeys(deviceId, done.type, [done.id])).size > 0) return;
  const unknown = new Map<string, LidPair>();
  for (const { members } of await groups.all(deviceId))
    for (const { person } of members) {
      const [phoneUser, lidUser] = [person.number, person.lid === null ? null : jidUser(person.lid)];
      if (phoneUser === null || lidUser === null || unknown.has(phoneUser)) continue;
      if ((await pairs.phoneOf(lidUser)) === null && (await pairs.lidOf(phoneUser)) === null)
        unknown.set(phoneUser, { phoneUser, lidUser });
    }
  await pairs.keep([...unknown.values()]);
  await store.commit(deviceId, { keys: [{ ...done, value: Buffer.from('1') }] });
};
