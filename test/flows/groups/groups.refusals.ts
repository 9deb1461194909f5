/** Requests about groups that are refused, with the words. */
import { ada, bob, cyd } from '../say/rig.ts';

type Refusal = readonly [method: string, path: string, body: unknown, status: number, words: RegExp | string];

/** `own`: of the account, with Bob; `other`: of Bob, with Cyd and the account. */
export const refusals = ({
  own,
  other,
  bobsLid,
}: {
  readonly own: string;
  readonly other: string;
  readonly bobsLid: string;
}): readonly Refusal[] => {
  const members = `/groups/${own}/members`;
  const notMember = `${cyd} is not a member of this group`;
  return [
    ['POST', '/groups', { subject: 'x'.repeat(101), members: [] }, 400, /subject must be a string of 1 to 100/],
    ['POST', '/groups', { subject: 'Us', members: [ada] }, 400, 'members must not name the account itself'],
    ['POST', '/groups', { subject: 'Us', members: [bob, bob] }, 400, `members names ${bob} twice`],
    ['POST', '/groups', { subject: 'Us', members: [other] }, 400, /^members\[0\] must be .* the JID of a person/],
    ['POST', members, { members: [] }, 400, /must be an array of 1 to 100/],
    ['DELETE', `${members}/${cyd}`, undefined, 400, notMember],
    ['PUT', `${members}/${cyd}`, { admin: true }, 400, notMember],
    ['PUT', `${members}/${ada}`, { admin: false }, 400, 'person must not be the account itself'],
    [
      'DELETE',
      `${members}/${ada}`,
      undefined,
      400,
      'person must not be the account itself; it leaves by DELETE of the group',
    ],
    ['DELETE', `${members}/4915559999999`, undefined, 400, '4915559999999 is not a member of this group'],
    [
      'DELETE',
      `${members}/nobody`,
      undefined,
      400,
      /^person must be the digits of a phone number, or the JID of a person/,
    ],
    ['PUT', `/groups/${own}/requests/${other}`, { approved: true }, 400, /^person must be .* the JID of a person/],
    ['PUT', `/chats/120363000000000000@g.us`, { expiresInSeconds: 86_400 }, 404, 'Chat not found'],
    ['DELETE', `/groups/${own}`, undefined, 400, /is the last administrator of this group: make another/],
    ['POST', '/groups/join', { invite: 'no link' }, 400, /invite must be the link of a group/],
    ['POST', '/groups/join', { invite: 'AbcdefghijklmnopqrstuV' }, 400, 'invite is not the link of a group'],
    [
      'PUT',
      `/groups/${other}/requests/${cyd}`,
      { approved: true },
      400,
      'The account is not an administrator of this group',
    ],
    ['GET', `/groups/${other}/invite`, undefined, 400, 'The account is not an administrator of this group'],
    ['PUT', `/groups/${other}`, { announceOnly: true }, 400, 'The account is not an administrator of this group'],
    ['PUT', `/groups/${own}/requests/${cyd}`, { approved: true }, 400, 'This person has not asked to join the group'],
    ['GET', '/groups/120363000000000000@g.us', undefined, 404, 'Group not found'],
    ['PUT', '/groups/120363000000000000@g.us', { subject: 'Mine' }, 404, 'Group not found'],
    ['GET', `/groups/${bob}`, undefined, 400, 'group must be the JID of a group: <id>@g.us'],
    ['POST', '/groups', { subject: 'Us', members: [bob, bobsLid] }, 400, `members names ${bob} twice`],
    ['POST', members, { members: [cyd, cyd] }, 400, `members names ${cyd} twice`],
    ['POST', members, { members: [ada] }, 400, 'members must not name the account itself'],
    ['PUT', `/groups/${own}`, { subject: 'x'.repeat(101) }, 400, /subject must be a string of 1 to 100/],
  ];
};
