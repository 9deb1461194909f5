/** Communities: created, linked with groups, read and ended (docs/spec/communities.md). */
import { parseGroup } from '../../domain/chats/recipient.ts';
import type { CommunityGroup, KeptGroup, LinkResult } from '../../domain/groups/group.ts';
import type { Groups } from '../../domain/groups/port.ts';
import { type Jid, jidKind } from '../../domain/jid.ts';
import type { Person } from '../../domain/messages/parts.ts';
import { HandsetError, invalidRequest, notFound } from '../../errors.ts';
import { onOpenSession } from '../sending/readiness.ts';
import type { LiveParts } from '../parts.ts';
import { type Idempotency, SendOnce } from '../sending/send-once.ts';
import type { DeviceScope } from '../sessions/runtimes.ts';
import { createdEarlier } from './created.ts';

export interface NewCommunity {
  readonly subject: string;
  readonly description: string | null;
  readonly groups: readonly string[];
}

interface OfGroups {
  readonly community: KeptGroup;
  readonly groups: readonly CommunityGroup[];
}

export const parseCommunity = (text: string): Jid => {
  if (jidKind(text) !== 'group') throw invalidRequest('community must be the JID of a community: <id>@g.us');
  return parseGroup(text);
};

const parseGroups = (given: readonly string[]): readonly Jid[] => {
  const jids = given.map(parseGroup);
  const twice = jids.find((jid, index) => jids.indexOf(jid) !== index);
  if (twice !== undefined) throw invalidRequest(`groups names ${twice} twice`);
  return jids;
};

type On = <T>(scope: DeviceScope, act: (groups: Groups) => Promise<T>) => Promise<T>;

const keptGroups = async ({ stores }: LiveParts, deviceId: number): Promise<readonly KeptGroup[]> =>
  (await stores.groups.all(deviceId)).filter(({ isMember }) => isMember);

const makeCreate = (parts: LiveParts, on: On) => {
  const repeats = new SendOnce(parts);
  return async (
    scope: DeviceScope,
    { subject, description, groups: given }: NewCommunity,
    idempotency?: Idempotency,
  ): Promise<OfGroups & { readonly results: readonly LinkResult[] }> => {
    const wanted = parseGroups(given);
    return repeats.make(scope.id, idempotency, (key, since) =>
      on(scope, async (acts) => {
        const creation = { key, subject, since, isCommunity: true };
        const earlier = await createdEarlier({ stores: parts.stores, scope, groups: acts }, creation);
        const community = earlier ?? (await acts.createCommunity(subject, description, key));
        const before = earlier === null ? [] : (await acts.groupsOf(community.jid)).map(({ jid }) => jid);
        const missing = wanted.filter((jid) => !before.includes(jid));
        const linked = missing.length === 0 ? [] : await acts.link(community.jid, missing, true);
        const results = wanted.map(
          (group): LinkResult =>
            linked.find((each) => each.group === group) ?? { group, result: 'linked', reason: null },
        );
        return { community, groups: await acts.groupsOf(community.jid), results };
      }),
    );
  };
};

/** All throw NotFound, InvalidRequest, DeviceNotConnected, DeviceNotAuthenticated and RequestTimeout. */
export const makeCommunities = (parts: LiveParts) => {
  const on: On = (scope, act) => onOpenSession(parts, scope, ({ groups }) => act(groups));
  const onCommunity = async <T>(
    scope: DeviceScope,
    text: string,
    act: (groups: Groups, community: Jid) => Promise<T>,
  ): Promise<T> => {
    const jid = parseCommunity(text);
    try {
      return await on(scope, (acts) => act(acts, jid));
    } catch (error) {
      throw error instanceof HandsetError && error.name === 'NotFound' ? notFound('Community') : error;
    }
  };
  return {
    create: makeCreate(parts, on),
    async list(scope: DeviceScope): Promise<readonly OfGroups[]> {
      await on(scope, (acts) => acts.list());
      const all = await keptGroups(parts, scope.id);
      const groupsOf = ({ jid: parent }: KeptGroup): readonly CommunityGroup[] =>
        all.flatMap(({ jid, subject, community }) =>
          community?.jid === parent ? [{ jid, subject, role: community.role }] : [],
        );
      return all
        .filter(({ isCommunity }) => isCommunity)
        .map((community) => ({ community, groups: groupsOf(community) }));
    },
    get: (scope: DeviceScope, text: string): Promise<OfGroups & { readonly people: readonly Person[] }> =>
      onCommunity(scope, text, async (acts, jid) => {
        const groups = await acts.groupsOf(jid);
        return { community: await acts.current(jid), groups, people: await acts.peopleOf(jid) };
      }),
    async link(scope: DeviceScope, text: string, given: string, linked: boolean): Promise<void> {
      const group = parseGroup(given);
      if (text === group) throw invalidRequest('group must not be the community itself');
      const [result] = await onCommunity(scope, text, (acts, jid) => acts.link(jid, [group], linked));
      if (result?.result === 'refused') throw invalidRequest(`The network refuses it: ${result.reason}`);
    },
    end: (scope: DeviceScope, text: string): Promise<void> =>
      onCommunity(scope, text, (acts, jid) => acts.endCommunity(jid)),
    leave: (scope: DeviceScope, text: string): Promise<void> =>
      onCommunity(scope, text, (acts, jid) => acts.leaveCommunity(jid)),
  };
};

export type Communities = ReturnType<typeof makeCommunities>;
