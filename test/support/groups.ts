/** An account with one group, on a network that accepts every action without effect. */
import { Readable } from 'node:stream';
import type { KeptGroup } from '../../src/domain/groups/group.ts';
import type { Groups } from '../../src/domain/groups/port.ts';

const person = { jid: '4915112345678@s.whatsapp.net', number: '4915112345678', lid: '1@lid' };

export const quietGroup: KeptGroup = {
  jid: '120363025246125486@g.us',
  subject: 'Friends',
  description: 'Of the house',
  owner: person,
  createdAt: 1_700_000_000_000,
  members: [{ person, admin: true }],
  announceOnly: false,
  locked: false,
  joinApproval: false,
  memberAddMode: 'everyone',
  expiresInSeconds: 86_400,
  community: { jid: '120363025246125487@g.us', role: 'group' },
  isMember: true,
  isCommunity: false,
  hasPicture: null,
  version: null,
  checkedAt: 0,
  addressing: 'lid',
};

const town = '120363025246125487@g.us';
const taken = async (): Promise<void> => {};
const results = [{ person, result: 'added', reason: null }] as const;

export const quietGroups: Groups = {
  list: taken,
  current: async () => quietGroup,
  create: async () => ({ group: quietGroup, results }),
  createCommunity: async () => quietGroup,
  link: async (_community, groups) => groups.map((group) => ({ group, result: 'linked', reason: null })),
  groupsOf: async () => [{ jid: quietGroup.jid, subject: 'Friends', role: 'group' }],
  peopleOf: async () => [person],
  endCommunity: taken,
  leaveCommunity: taken,
  change: async () => quietGroup,
  changeMembers: async () => results,
  invite: async () => 'Abcdefghij0123456789AB',
  preview: async () => ({ ...quietGroup, size: 1 }),
  join: async () => ({ group: quietGroup.jid, waits: false }),
  requests: async () => [{ person, requestedAt: 1_700_000_000_000 }],
  decide: taken,
  leave: taken,
  picture: async () => ({ id: '1', stream: Readable.from([Buffer.from('jpeg')]) }),
  setPicture: async () => quietGroup,
};

/** A call of every group operation that returns JSON, with parameters in path order. */
export const groupCalls = (id: number, number: string) =>
  ({
    listGroups: [id],
    getGroup: [id, undefined, quietGroup.jid],
    createGroup: [id, { subject: 'Us', members: [number] }],
    joinGroup: [id, { invite: 'Abcdefghij0123456789AB' }],
    updateGroup: [id, { subject: 'We' }, quietGroup.jid],
    addMembers: [id, { members: [number] }, quietGroup.jid],
    setAdmin: [id, { admin: true }, quietGroup.jid, number],
    removeMember: [id, undefined, quietGroup.jid, number],
    getInvite: [id, undefined, quietGroup.jid],
    rotateInvite: [id, undefined, quietGroup.jid],
    previewInvite: [id, undefined, 'Abcdefghij0123456789AB'],
    listJoinRequests: [id, undefined, quietGroup.jid],
    decideRequest: [id, { approved: true }, quietGroup.jid, number],
    setGroupPicture: [id, { mediaBase64: 'iVBORwE=' }, quietGroup.jid],
    removeGroupPicture: [id, undefined, quietGroup.jid],
    leaveGroup: [id, undefined, quietGroup.jid],
    listCommunities: [id],
    createCommunity: [id, { subject: 'Town', groups: [quietGroup.jid] }],
    getCommunity: [id, undefined, town],
    linkGroup: [id, undefined, town, quietGroup.jid],
    unlinkGroup: [id, undefined, town, quietGroup.jid],
    endCommunity: [id, undefined, town],
    leaveCommunity: [id, undefined, town],
  }) as const;
