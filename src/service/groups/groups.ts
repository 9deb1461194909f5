/** Groups as callers read and change them (docs/spec/groups.md). */
import { parsePerson } from '../../domain/chats/address.ts';
import { groupsListed, isFreshGroup, type KeptGroup, type MemberResult } from '../../domain/groups/group.ts';
import type { ActResult, Groups, GroupWish, JoinRequest, MemberAct } from '../../domain/groups/port.ts';
import type { GroupPreview } from '../../domain/groups/group.ts';
import { type Jid, jidKind, jidUser } from '../../domain/jid.ts';
import type { NetworkSession } from '../../domain/network.ts';
import type { Page, PageRequest } from '../../domain/stores.ts';
import { HandsetError, invalidRequest } from '../../errors.ts';
import { onOpenSession } from '../conversation/act.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceScope } from '../sessions/scope.ts';
import { type Idempotency, SendOnce } from '../sending/send-once.ts';
import type { Sending } from '../sending/sending.ts';
import type { ConcurrencyLimit } from '../users/concurrency-limit.ts';
import { parseGroup } from './parse.ts';
import { completed, groupMadeBy } from './made-earlier.ts';
import { groupPictures } from './picture.ts';

const inviteRule = /^(?:https:\/\/chat\.whatsapp\.com\/(?:invite\/)?)?([A-Za-z0-9_-]{8,64})(?:\?.*)?$/;

/** The code of a link, or a code alone. */
const parseInvite = (text: string): string => {
  const code = inviteRule.exec(text.trim())?.[1];
  if (code === undefined) {
    throw invalidRequest('invite must be the link of a group (https://chat.whatsapp.com/…), or its code');
  }
  return code;
};

const assertDistinct = (people: readonly string[], given: readonly string[]): void => {
  const twice = people.findIndex((jid, index) => people.indexOf(jid) !== index);
  if (twice !== -1) throw invalidRequest(`members names ${given[twice]} twice`);
};

interface Own {
  readonly jid: Jid;
  readonly lid: Jid | null;
}

/** Refusals of acts on the account itself; a path names one person. */
const notItself: Readonly<Record<MemberAct, string>> = {
  add: 'members must not name the account itself',
  remove: 'person must not be the account itself; it leaves by DELETE of the group',
  promote: 'person must not be the account itself',
  demote: 'person must not be the account itself',
};

const assertOthers = (people: readonly Jid[], own: Own | null, act: MemberAct = 'add'): void => {
  if (own !== null && people.some((jid) => jid === own.jid || jid === own.lid)) throw invalidRequest(notItself[act]);
};

/** A look-up fails with errors of the driver where the network does not answer it. */
const unanswered = (cause: unknown): never => {
  throw cause instanceof HandsetError ? cause : new HandsetError('RequestTimeout', 'Request timeout', { cause });
};

/** People by JID, and those whose number nobody has. */
const lookUpAll = async (session: NetworkSession, people: readonly Jid[]) => {
  const found: Jid[] = [];
  const unknown: MemberResult[] = [];
  for (const jid of people) {
    const known = jidKind(jid) === 'phone' ? await session.lookUp(jidUser(jid)).catch(unanswered) : jid;
    if (known !== null) found.push(known);
    else {
      const person = { jid, number: jidUser(jid), lid: null };
      unknown.push({ person, result: 'refused', reason: 'no account has this number' });
    }
  }
  return { found, unknown };
};

const isOffline = (error: unknown): boolean =>
  error instanceof HandsetError && ['DeviceNotConnected', 'DeviceNotAuthenticated'].includes(error.name);

/** Sends the invitations that the network made for people who cannot be added, who learn of them in no other way. */
const inviting = (sending: Sending, scope: DeviceScope, group: KeptGroup) => {
  const { jid, subject } = group;
  return async ({ invite, ...result }: ActResult): Promise<MemberResult> => {
    if (invite === undefined) return result;
    const to = result.person.jid;
    const recipient = { kind: jidKind(to) === 'lid' ? ('lid' as const) : ('phone' as const), jid: to };
    const content = { kind: 'groupInvite' as const, group: jid, subject, ...invite };
    try {
      await sending.send(scope, { recipient, content });
      return result;
    } catch (error) {
      const words = error instanceof HandsetError ? error.message : 'it was not sent';
      return { ...result, result: 'refused', reason: `${result.reason}, and the invitation failed: ${words}` };
    }
  };
};

type On = <T>(scope: DeviceScope, act: (groups: Groups, session: NetworkSession) => Promise<T>) => Promise<T>;

/** Runs an act on the open session. */
const onSession =
  (parts: LiveParts): On =>
  (scope, act) =>
    onOpenSession(parts, scope, (session) => act(session.groups, session));

const listedAt = async ({ stores }: LiveParts, deviceId: number): Promise<number> => {
  const { type, id } = groupsListed;
  const value = (await stores.credentials.readKeys(deviceId, type, [id])).get(id);
  return value === undefined ? 0 : Number(Buffer.from(value).toString());
};

const reading = (parts: LiveParts, on: On) => ({
  /** Asks the network only where the kept list is not fresh. */
  async list(scope: DeviceScope, page: PageRequest): Promise<Page<KeptGroup>> {
    const at = await listedAt(parts, scope.id);
    if (!isFreshGroup(at, parts.clock.now())) {
      try {
        await on(scope, (groups) => groups.list());
      } catch (error) {
        // While the device is offline, what was known is the best there is.
        if (at === 0 || !isOffline(error)) throw error;
      }
    }
    return parts.stores.groups.list(scope.id, page);
  },
  async get(scope: DeviceScope, text: string): Promise<KeptGroup> {
    const jid = parseGroup(text);
    const kept = await parts.stores.groups.find(scope.id, jid);
    if (kept?.isMember === true && isFreshGroup(kept.checkedAt, parts.clock.now())) return kept;
    try {
      return await on(scope, (groups) => groups.current(jid));
    } catch (error) {
      if (kept?.isMember === true && isOffline(error)) return kept;
      throw error;
    }
  },
});

/** The people of a request, and the device's own account. */
const peopleOf = async (scope: DeviceScope, given: readonly string[], act: MemberAct = 'add') => {
  const people = given.map((text, index) => parsePerson(text, act === 'add' ? `members[${index}]` : 'person'));
  assertDistinct(people, given);
  const { account } = await scope.record();
  assertOthers(people, account, act);
  return { people, account };
};

const peopling = (parts: LiveParts, sending: Sending, on: On) => {
  const { stores, network } = parts;
  const repeats = new SendOnce({ ...parts, ...stores, newMessageId: network.newMessageId });
  return {
    async create(
      scope: DeviceScope,
      subject: string,
      given: readonly string[],
      idempotency?: Idempotency,
    ): Promise<{ group: KeptGroup; results: readonly MemberResult[] }> {
      const { people, account } = await peopleOf(scope, given);
      return repeats.make(scope.id, idempotency, async (key, since) => {
        const made = await on(scope, async (groups, session) => {
          const { found, unknown } = await lookUpAll(session, people);
          assertOthers(found, account);
          const me = account === null ? null : { ...account, number: account.phoneNumber };
          const earlier =
            since === null || me === null
              ? null
              : await groupMadeBy({ key, subject, since, owner: me }, groups, () => stores.groups.all(scope.id));
          const { group, results } =
            earlier === null ? await groups.create(subject, found, key) : await completed(groups, earlier, found);
          return { group, results: [...results, ...unknown] };
        });
        const results = await Promise.all(made.results.map(inviting(sending, scope, made.group)));
        return { group: made.group, results };
      });
    },
    async changeMembers(
      scope: DeviceScope,
      text: string,
      act: MemberAct,
      given: readonly string[],
    ): Promise<readonly MemberResult[]> {
      const jid = parseGroup(text);
      const { people, account } = await peopleOf(scope, given, act);
      const done = await on(scope, async (groups, session) => {
        const group = await groups.current(jid);
        const { found, unknown } = await lookUpAll(session, people);
        assertOthers(found, account, act);
        const [nobody] = unknown;
        if (act !== 'add' && nobody !== undefined)
          throw invalidRequest(`${nobody.person.number} is not a member of this group`);
        const results = found.length === 0 ? [] : await groups.changeMembers(jid, act, found);
        return { group, results: [...results, ...unknown] };
      });
      return Promise.all(done.results.map(inviting(sending, scope, done.group)));
    },
  };
};

/**
 * `group` and people: as the caller wrote them. All throw InvalidRequest, NotFound, DeviceNotConnected, DeviceNotAuthenticated and
 * RequestTimeout.
 */
export const makeGroups = (parts: LiveParts, sending: Sending, imageLimit: ConcurrencyLimit) => {
  const on = onSession(parts);
  /** Runs an act on a group that the caller names. */
  const onGroup = async <T>(
    scope: DeviceScope,
    text: string,
    act: (groups: Groups, group: Jid) => Promise<T>,
  ): Promise<T> => {
    const jid = parseGroup(text);
    return on(scope, (groups) => act(groups, jid));
  };
  return {
    ...reading(parts, on),
    ...groupPictures(parts, imageLimit),
    ...peopling(parts, sending, on),
    change: (scope: DeviceScope, group: string, wish: GroupWish): Promise<KeptGroup> =>
      onGroup(scope, group, (groups, jid) => groups.change(jid, wish)),
    invite: (scope: DeviceScope, group: string, anew: boolean): Promise<string> =>
      onGroup(scope, group, (groups, jid) => groups.invite(jid, anew)),
    async preview(scope: DeviceScope, invite: string): Promise<GroupPreview> {
      const code = parseInvite(invite);
      return on(scope, (groups) => groups.preview(code));
    },
    async join(scope: DeviceScope, invite: string): Promise<{ group: Jid; waits: boolean }> {
      const code = parseInvite(invite);
      return on(scope, (groups) => groups.join(code));
    },
    requests: (scope: DeviceScope, group: string): Promise<readonly JoinRequest[]> =>
      onGroup(scope, group, (groups, jid) => groups.requests(jid)),
    async decide(scope: DeviceScope, group: string, who: string, approved: boolean): Promise<void> {
      const person = parsePerson(who, 'person');
      await onGroup(scope, group, (groups, jid) => groups.decide(jid, person, approved));
    },
    leave: (scope: DeviceScope, group: string): Promise<void> =>
      onGroup(scope, group, (groups, jid) => groups.leave(jid)),
  };
};

export type GroupService = ReturnType<typeof makeGroups>;
