/** Groups and channels for generated requests, so that every operation on groups can succeed: each that takes something away has one of its own. */
import type { Known } from '../../support/arbitrary.ts';
import type { Phones } from '../../support/phones.ts';
import { channelsFor } from './contract-channels.ts';

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const cyd = '4915550007777';

export interface KnownGroups {
  readonly own: Readonly<Record<string, Known>>;
  readonly known: Known;
}

/** The sandbox names a community after the group that it is made for. */
const communityOf = (group: string): string => group.replace('1203630', '1203639');

/** `owner` has the groups; `member` is in them, and has one that the owner may join. */
export const groupsFor = async (phones: Phones, owner: string, member: string): Promise<KnownGroups> => {
  const make = async (by: string, participants: readonly string[]): Promise<string> =>
    (await phones.request<{ jid: string }>('POST', '/groups', { subject: 'Us', owner: by, participants })).jid;
  const codeOf = async (group: string): Promise<string> =>
    (await phones.request<{ code: string }>('POST', `/groups/${group}/invite`)).code;
  const [group, left, thinned, asked, pictured, parted] = await Promise.all(
    Array.from({ length: 6 }, () => make(owner, [member])),
  );
  await phones.request('PATCH', `/groups/${pictured}`, { pictureBase64: pixel });
  for (const each of [pictured, asked, parted]) await phones.request('PATCH', `/groups/${each}`, { community: 'Town' });
  const open = await codeOf(await make(member, []));
  await phones.request('PATCH', `/groups/${left}`, { promote: [member] });
  await phones.request('PATCH', `/groups/${communityOf(parted!)}`, { promote: [member] });
  await phones.request('PATCH', `/groups/${asked}`, { joinApproval: true });
  await phones.add(cyd, 'Cyd');
  await phones.request('POST', `/phones/${cyd}/join`, { code: await codeOf(asked!) });
  const channels = await channelsFor(phones, owner, member);
  return {
    own: {
      ...channels.own,
      leaveGroup: { group: [left] },
      getGroupPicture: { group: [pictured] },
      removeMember: { group: [thinned] },
      leaveCommunity: { community: [communityOf(parted!)] },
      endCommunity: { community: [communityOf(asked!)] },
      unlinkGroup: { group: [pictured] },
      decideRequest: { group: [asked], person: [cyd] },
    },
    known: {
      ...channels.known,
      group: [group],
      members: [[member]],
      community: [communityOf(pictured!)],
      groups: [[]],
      code: [open],
      invite: [open],
    },
  };
};
