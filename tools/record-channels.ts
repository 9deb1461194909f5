/** Records the answers about channels: one of the account, and one that it follows. */
import type { Installation } from '../test/support/installation.ts';
import { eventually } from '../test/support/wait.ts';

interface Answer {
  readonly channel: { readonly jid: string };
  readonly serverId: number;
}

type Call = (operationId: string, params: Record<string, string | number>, body?: unknown) => Promise<Answer>;

export const recordChannels = async (
  { phones, api }: Installation,
  call: Call,
  id: number,
  other: string,
): Promise<void> => {
  const wanted = { name: 'News of the bakery', description: 'What comes out of the oven', acceptTerms: true };
  const { channel } = await call('createChannel', { id }, wanted);
  const at = { id, channel: channel.jid };
  await call('updateChannel', at, { name: 'Bakery' });
  const { serverId } = await call('postToChannel', at, { message: 'Fresh bread at seven' });
  const post = { ...at, serverId };
  await call('editChannelMessage', post, { message: 'Fresh bread at eight' });
  await call('setChannelReaction', post, { reaction: '💚' });
  await call('viewChannelMessage', post);
  await eventually('it is seen', async () => {
    const { messages } = (await api.get(`/devices/${id}/channels/${channel.jid}/messages`)).body;
    return messages[0].views === 1;
  });
  await call('listChannelMessages', at);
  await call('deleteChannelMessage', post);
  const { channel: town } = await phones.request<{ channel: { jid: string } }>('POST', '/channels', {
    owner: other,
    name: 'The town',
  });
  const ofOther = { id, channel: town.jid };
  await call('getChannel', ofOther);
  await call('followChannel', ofOther);
  await call('listChannels', { id });
  await call('unfollowChannel', ofOther);
  await call('deleteChannel', at);
};

type Recording = (
  kind: 'channel.updated' | 'channel.message' | 'channel.message.updated',
  acts: () => Promise<unknown>,
) => Promise<void>;

/** Records the events of a channel that the account follows. */
export const recordChannelKinds = async (
  record: Recording,
  { phones, api }: Installation,
  id: number,
  owner: string,
): Promise<void> => {
  const made = { owner, name: 'News' };
  const { channel } = await phones.request<Pick<Answer, 'channel'>>('POST', '/channels', made);
  await api.put(`/devices/${id}/settings`, { channels: 'followed' });
  await record('channel.updated', () => api.put(`/devices/${id}/channels/${channel.jid}/following`));
  const path = `/channels/${channel.jid}/posts`;
  let serverId = 0;
  await record('channel.message', async () => {
    const post = { text: 'Fresh bread at seven' };
    const { posts } = await phones.request<{ posts: { serverId: number }[] }>('POST', path, post);
    serverId = posts[0]!.serverId;
  });
  await record('channel.message.updated', () =>
    phones.request('PATCH', `${path}/${serverId}`, { text: 'Fresh bread at eight' }),
  );
};
