/** Creating groups and changing their members, with a result per person (docs/spec/groups.md, Making a group and Members). */
import { parseGroup, parsePerson } from '../../domain/chats/recipient.ts';
import type { KeptGroup, MemberResult } from '../../domain/groups/group.ts';
import type { ActResult, Groups, MemberAct } from '../../domain/groups/port.ts';
import { type Jid, jidKind, jidUser } from '../../domain/jid.ts';
import type { Person } from '../../domain/messages/parts.ts';
import type { NetworkSession } from '../../domain/network.ts';
import { HandsetError, invalidRequest, requestTimeout } from '../../errors.ts';
import { onOpenSession } from '../sending/readiness.ts';
import type { LiveParts } from '../parts.ts';
import { type Idempotency, SendOnce } from '../sending/send-once.ts';
import type { Sending } from '../sending/sending.ts';
import type { DeviceScope } from '../sessions/runtimes.ts';
import { parseCommunity } from './communities.ts';
import { createdEarlier } from './created.ts';

const assertDistinct = (people: readonly string[], given: readonly string[]): void => {
  const twice = people.findIndex((jid, index) => people.indexOf(jid) !== index);
  if (twice !== -1) throw invalidRequest(`members names ${given[twice]} twice`);
};

interface Own {
  readonly jid: Jid;
  readonly lid: Jid | null;
}

/** The account itself is refused, as a path names one person. */
const notItself: Readonly<Record<MemberAct, string>> = {
  add: 'members must not name the account itself',
  remove: 'person must not be the account itself; it leaves by DELETE of the group',
  promote: 'person must not be the account itself',
  demote: 'person must not be the account itself',
};

const assertOthers = (people: readonly Jid[], own: Own | null, act: MemberAct = 'add'): void => {
  if (own !== null && people.some((jid) => jid === own.jid || jid === own.lid)) throw invalidRequest(notItself[act]);
};

/** The driver's own errors mean that the network did not answer. */
const unanswered = (cause: unknown): never => {
  throw cause instanceof HandsetError ? cause : requestTimeout(cause);
};

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

interface NewGroup {
  readonly subject: string;
  readonly members: readonly string[];
  readonly community?: string | undefined;
}

/** Adds failures for people who are not members, so that each has a result. */
const completed = async (
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

const peopleOf = async (scope: DeviceScope, given: readonly string[], act: MemberAct = 'add') => {
  const people = given.map((text, index) => parsePerson(text, act === 'add' ? `members[${index}]` : 'person'));
  assertDistinct(people, given);
  const { account } = await scope.record();
  assertOthers(people, account, act);
  return { people, account };
};

export const makeMembers = (parts: LiveParts, sending: Sending) => {
  const { stores } = parts;
  const repeats = new SendOnce(parts);
  return {
    async create(
      scope: DeviceScope,
      { subject, members, community: parent }: NewGroup,
      idempotency?: Idempotency,
    ): Promise<{ group: KeptGroup; results: readonly MemberResult[] }> {
      const community = parent === undefined ? null : parseCommunity(parent);
      const { people, account } = await peopleOf(scope, members);
      return repeats.make(scope.id, idempotency, async (key, since) => {
        const made = await onOpenSession(parts, scope, async (session) => {
          const { groups } = session;
          const { found, unknown } = await lookUpAll(session, people);
          assertOthers(found, account);
          const earlier = await createdEarlier({ stores, scope, groups }, { key, subject, since, isCommunity: false });
          const { group, results } =
            earlier === null
              ? await groups.create({ subject, people: found, community }, key)
              : await completed(groups, earlier, found);
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
      const done = await onOpenSession(parts, scope, async (session) => {
        const { groups } = session;
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
