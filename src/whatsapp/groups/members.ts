/** Member changes, each with its own result (codes: wwebjs #2344, 2023-07; whatsmeow GroupParticipant, 2026-08). */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from '../library/nodes.ts';
import type { GroupChange } from '../../domain/groups/group.ts';
import type { ActResult, MemberAct } from '../../domain/groups/port.ts';
import { type Jid, jidUser } from '../../domain/jid.ts';
import type { Person } from '../../domain/messages/parts.ts';
import { invalidRequest } from '../../errors.ts';
import { isMember } from '../../domain/groups/changes.ts';
import { askGroup, askedOfGroup, childOf, node } from './ask.ts';
import type { GroupSession } from './group-session.ts';
import { timeOrNull } from '../translate/parts/limits.ts';
import { personIn } from './read-group.ts';

const done: Readonly<Record<MemberAct, ActResult['result']>> = {
  add: 'added',
  remove: 'removed',
  promote: 'promoted',
  demote: 'demoted',
};

/**
 * Why a person was not added (wwebjs #2344, 2023-07: 403, 404, 408, 409, 417, 419; wppconnect #2152, 2024-04: 408; Evolution API #2011,
 * 2025-09, and whatsmeow types/group.go, 2026-08: 403 with an `<add_request>`). 401 and 500 are general codes.
 */
const addRefusals: Readonly<Record<string, string>> = {
  401: 'the person has blocked the account',
  403: 'the person does not let the account add them',
  404: 'no account has this number or LID',
  408: 'the person left the group recently',
  409: 'the person is a member already',
  417: 'the person cannot be added to the community',
  419: 'the group is full',
  500: 'the network had an error of its own; try again later',
};

const otherRefusals: Readonly<Record<string, string>> = {
  403: 'the owner of a group stays its administrator',
  404: 'the person is not a member',
  406: 'the owner of a group stays its administrator',
  500: 'the network had an error of its own; try again later',
};

const reasonOf = (act: MemberAct, code: string): string =>
  (act === 'add' ? addRefusals : otherRefusals)[code] ?? `the network refused it (${code})`;

const resultIn = (answer: BinaryNode, act: MemberAct, person: Person): ActResult => {
  const { error } = answer.attrs;
  if (error === undefined || error === '200') return { person, result: done[act], reason: null };
  const { code, expiration } = getBinaryNodeChild(answer, 'add_request')?.attrs ?? {};
  const expiresAt = timeOrNull(expiration);
  if (code !== undefined && expiresAt !== null)
    return { person, result: 'invited', reason: reasonOf(act, error), invite: { code, expiresAt } };
  return { person, result: 'refused', reason: reasonOf(act, error) };
};

const changeOf = (act: MemberAct, people: readonly Person[]): GroupChange => {
  if (act === 'add') return { added: people };
  if (act === 'remove') return { removed: people };
  return act === 'promote' ? { promoted: people } : { demoted: people };
};

/** By LID if known, with tokens when adding (whatsmeow group.go, 2026-06-22). Throws InvalidRequest for a person named by both addresses. */
export const participants = async (
  session: GroupSession,
  people: readonly Jid[],
  withTokens = false,
): Promise<BinaryNode[]> => {
  const nodes: BinaryNode[] = [];
  const named = new Set<Jid>();
  for (const jid of people) {
    const { lid, phone } = await session.lidMapping.addressesOf(jid);
    const attrs = lid === null ? { jid } : { jid: lid, ...(phone !== null && { phone_number: phone }) };
    if (named.has(attrs.jid)) throw invalidRequest(`members names ${phone === null ? jid : jidUser(phone)} twice`);
    named.add(attrs.jid);
    const token = withTokens ? await session.tokenOf(attrs.jid) : null;
    nodes.push(node('participant', attrs, token === null ? undefined : [node('privacy', {}, token)]));
  }
  return nodes;
};

export const resultsIn = (session: GroupSession, answer: BinaryNode, act: MemberAct, people: readonly Person[]) => {
  const peek = (jid: Jid) => session.lidMapping.peek(jid);
  const answers = getBinaryNodeChildren(answer, 'participant').map((own) => ({ own, told: personIn(peek, own) }));
  return people.map((person, index) => {
    const { own } =
      answers.find(({ told }) => told.jid === person.jid || (told.lid !== null && told.lid === person.lid)) ??
      answers[index] ??
      {};
    return own === undefined
      ? { person, result: 'refused' as const, reason: 'the network did not answer for this person' }
      : resultIn(own, act, person);
  });
};

export const changeMembers = async (
  session: GroupSession,
  group: Jid,
  act: MemberAct,
  people: readonly Jid[],
): Promise<readonly ActResult[]> => {
  const { deviceId, storedGroups } = session;
  const before = await session.current(group);
  const nodes = await participants(session, people, act === 'add');
  const persons = nodes.map((each) => personIn((jid) => session.lidMapping.peek(jid), each));
  if (act !== 'add') {
    const stranger = persons.find((person) => !isMember(before, person));
    if (stranger !== undefined)
      throw invalidRequest(`${stranger.number ?? stranger.jid} is not a member of this group`);
  }
  const ask = () => askGroup(session, group, 'set', node(act, {}, nodes));
  const answer = await askedOfGroup(deviceId, ask);
  const results = resultsIn(session, childOf(answer, act), act, persons);
  const changed = results.filter(({ result }) => result === done[act]).map(({ person }) => person);
  if (changed.length > 0) await storedGroups.made(group, changeOf(act, changed));
  return results;
};
