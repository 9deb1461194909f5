/** Records the responses about labels, communities, look-ups and statuses; part of `npm run examples`. */
import type { Installation } from '../test/support/installation.ts';
import type { Phones } from '../test/support/phones.ts';
import { eventually } from '../test/support/wait.ts';

interface Answer {
  readonly label: { readonly id: string };
  readonly community: { readonly jid: string };
  readonly statusId: string;
}

type Call = (
  operationId: string,
  params: Record<string, string | number>,
  body?: unknown,
  query?: string,
) => Promise<Answer>;

/** Made, changed, put on a message, and deleted. */
export const recordLabels = async (call: Call, id: number, messageId: string): Promise<void> => {
  const { label } = await call('createLabel', { id }, { name: 'Waiting', color: 4 });
  const of = { id, labelId: label.id };
  await call('updateLabel', of, { name: 'Waiting for payment' });
  await call('setMessageLabels', { id, messageId }, { labels: [label.id] });
  await call('listLabels', { id });
  await call('deleteLabel', of);
};

/** Made, read, changed, left and ended. */
export const recordCommunities = async (call: Call, id: number, group: string): Promise<void> => {
  const { community } = await call('createCommunity', { id }, { subject: 'Town', groups: [group] });
  const of = { id, community: community.jid, group };
  await call('listCommunities', { id });
  await call('getCommunity', of);
  await call('unlinkGroup', of);
  await call('linkGroup', of);
  await call('endCommunity', of);
  // Nobody else is in it, so its only administrator may leave.
  const { community: empty } = await call('createCommunity', { id }, { subject: 'Village' });
  await call('leaveCommunity', { id, community: empty.jid });
};

export const recordLookUps = async (
  call: Call,
  phones: Pick<Phones, 'behave'>,
  id: number,
  number: string,
): Promise<void> => {
  await phones.behave(number, { username: 'bob.baker' });
  await call('lookUpNumbers', { id }, undefined, `?numbers=${number},4915550009999`);
  await call('lookUpUsernames', { id }, { usernames: ['@bob.baker'] });
};

/** Resolves when a phone has the status. */
export const untilStatus = (phones: Pick<Phones, 'request'>, number: string, statusId: string): Promise<unknown> =>
  eventually('the status has come', async () => {
    const { statuses } = await phones.request<{ statuses: { id: string }[] }>('GET', `/phones/${number}/status`);
    return statuses.some(({ id }) => id === statusId);
  });

/** One of the account that is seen, and one of a contact. */
export const recordStatuses = async (
  { api: client, phones }: Installation,
  call: Call,
  id: number,
  contact: string,
): Promise<void> => {
  const body = { text: 'Open until ten today', background: '#1f7aec', audience: 'contacts' };
  const { statusId } = await call('postStatus', { id }, body);
  const path = `/devices/${id}/status`;
  await untilStatus(phones, contact, statusId);
  await phones.request('POST', `/phones/${contact}/status/${statusId}/view`, {});
  await eventually('it is seen', async () => {
    const { viewers } = (await client.get(`${path}/${statusId}/viewers`)).body;
    return viewers.some(({ viewedAt }: { viewedAt: string | null }) => viewedAt !== null);
  });
  await call('listStatusViewers', { id, statusId });
  await call('updateSettings', { id }, { statuses: 'received' });
  const { messageId } = await phones.request<{ messageId: string }>('POST', `/phones/${contact}/status`, {
    text: 'Hi',
  });
  await eventually('that of the contact', async () => (await client.get(`${path}?own=false`)).body.statuses.length > 0);
  await call('listStatuses', { id });
  await call('viewStatus', { id, statusId: messageId });
  await call('setStatusReaction', { id, statusId: messageId }, { reaction: '💚' });
  await call('deleteStatus', { id, statusId });
};
