/** Groups for generated requests, so that every operation on groups can succeed: each that takes something away has one of its own. */
import type { Known } from '../../support/arbitrary.ts';
import type { Phones } from '../../support/phones.ts';

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const cyd = '4915550007777';

export interface KnownGroups {
  readonly own: Readonly<Record<string, Known>>;
  readonly known: Known;
}

/** `owner` has the groups; `member` is in them, and has one that the owner may join. */
export const groupsFor = async (phones: Phones, owner: string, member: string): Promise<KnownGroups> => {
  const make = async (by: string, participants: readonly string[]): Promise<string> =>
    (await phones.request<{ jid: string }>('POST', '/groups', { subject: 'Us', owner: by, participants })).jid;
  const codeOf = async (group: string): Promise<string> =>
    (await phones.request<{ code: string }>('POST', `/groups/${group}/invite`)).code;
  const [group, left, thinned, asked, pictured] = await Promise.all(
    Array.from({ length: 5 }, () => make(owner, [member])),
  );
  await phones.request('PATCH', `/groups/${pictured}`, { pictureBase64: pixel });
  const open = await codeOf(await make(member, []));
  await phones.request('PATCH', `/groups/${left}`, { promote: [member] });
  await phones.request('PATCH', `/groups/${asked}`, { joinApproval: true });
  await phones.add(cyd, 'Cyd');
  await phones.request('POST', `/phones/${cyd}/join`, { code: await codeOf(asked!) });
  return {
    own: {
      leaveGroup: { group: [left] },
      getGroupPicture: { group: [pictured] },
      removeMember: { group: [thinned] },
      decideRequest: { group: [asked], person: [cyd] },
    },
    known: { group: [group], members: [[member]], code: [open], invite: [open] },
  };
};
