/** `handset mcp` as tests start it, and what its answers consist of. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ada, bob } from '../flows/steps.ts';
import { eventually } from '../support/wait.ts';
import type { Phones } from '../support/phones.ts';

export const handset = join(import.meta.dirname, '../../src/cli/handset.ts');

/** The SDK's client, connected to `handset mcp`. */
export const connect = async (url: string, key: string, ...options: readonly string[]): Promise<Client> => {
  const env = { HANDSET_URL: url, HANDSET_KEY: key, PATH: process.env.PATH ?? '' };
  const client = new Client({ name: 'test', version: '1' });
  const args = [handset, 'mcp', ...options];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  return client;
};

/** Bytes of a list, as the model reads it. */
export const maxBytes = 10_000;

export interface Content {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
  readonly resource?: { readonly blob: string };
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
type Call = (name: string, args: Record<string, unknown>) => Promise<any>;

/** Makes a label, changes it, and puts it on a message with a star. */
export const starAndLabel = async (call: Call, messageId: string): Promise<void> => {
  const { label } = await call('create_label', { device: 1, name: 'Waiting', color: 4 });
  assert.equal((await call('update_label', { device: 1, labelId: label.id, name: 'Paid' })).label.name, 'Paid');
  assert.deepEqual((await call('list_labels', { device: 1 })).labels, [{ ...label, name: 'Paid' }]);
  await call('label_message', { device: 1, messageId, labels: [label.id] });
  const { message } = await call('star_message', { device: 1, messageId, starred: true });
  assert.deepEqual([message.starred, message.labels], [true, [label.id]]);
};

/** Posts to a channel of the account and reads it. */
export const postToChannel = async (call: Call, phones: Phones, owner: string): Promise<void> => {
  const made = { owner, name: 'News' };
  const { channel } = await phones.request<{ channel: { jid: string } }>('POST', '/channels', made);
  const { channels } = await call('list_channels', { device: 1 });
  assert.partialDeepStrictEqual(channels, [{ jid: channel.jid, name: 'News', role: 'owner' }]);
  const posted = await call('post_to_channel', { device: 1, channel: channel.jid, message: 'hello' });
  const { messages } = await call('list_channel_posts', { device: 1, channel: channel.jid });
  assert.deepEqual([messages[0].serverId, messages[0].text], [posted.serverId, 'hello']);
  const { serverId } = posted;
  await call('edit_channel_post', { device: 1, channel: channel.jid, serverId, message: 'good morning' });
  await call('delete_channel_post', { device: 1, channel: channel.jid, serverId });
  const other = await phones.request<{ channel: { jid: string } }>('POST', '/channels', { owner: bob, name: 'Other' });
  const followed = await call('follow_channel', { device: 1, channel: other.channel.jid });
  assert.equal(followed.channel.role, 'follower');
  await call('unfollow_channel', { device: 1, channel: other.channel.jid });
};

export const useCommunities = async (call: Call): Promise<void> => {
  const make = async (subject: string) => (await call('create_community', { device: 1, subject })).community.jid;
  const community = await make('Town');
  const group = (await call('create_group', { device: 1, subject: 'Street', members: [], community })).group.jid;
  const shown = async () =>
    (await call('list_groups', { device: 1 })).groups.find(({ jid }: { jid: string }) => jid === group);
  assert.equal((await shown()).community, community);
  await call('unlink_group', { device: 1, community, group });
  assert.equal((await shown()).community, undefined);
  await call('link_group', { device: 1, community, group });
  const { communities } = await call('list_communities', { device: 1 });
  assert.deepEqual(
    communities.map(({ jid, groups }: { jid: string; groups: object[] }) => [jid, groups.length]),
    [[community, 2]],
  );
  await call('end_community', { device: 1, community });
  await call('leave_community', { device: 1, community: await make('Club') });
  assert.deepEqual((await call('list_communities', { device: 1 })).communities, []);
};

export const useGroups = async (call: Call): Promise<void> => {
  const made = await call('create_group', { device: 1, subject: 'Tea', members: [bob] });
  assert.partialDeepStrictEqual(made.results, [{ person: bob, result: 'added' }]);
  const group = made.group.jid;
  const changed = await call('update_group', { device: 1, group, subject: 'Coffee', joinApproval: true });
  assert.equal(changed.group.subject, 'Coffee');
  assert.equal((await call('list_groups', { device: 1 })).groups[0].size, 2);
  const first = await call('get_group', { device: 1, group, limit: 1 });
  const second = await call('get_group', { device: 1, group, limit: 1, cursor: first.nextCursor });
  assert.deepEqual(
    [new Set([first.members[0].person, second.members[0].person]), second.nextCursor],
    [new Set([ada, bob]), null],
  );
  const promoted = await call('set_admin', { device: 1, group, person: bob, admin: true });
  assert.equal(promoted.results[0].result, 'promoted');
  await call('set_admin', { device: 1, group, person: bob, admin: false });
  const removed = await call('remove_member', { device: 1, group, person: bob });
  assert.equal(removed.results[0].result, 'removed');
};

/** Bob, of the device `other`, comes in by the link and leaves. */
export const letIn = async (call: Call, other: number): Promise<void> => {
  const group = (await call('create_group', { device: 1, subject: 'Open', members: [] })).group.jid;
  await call('update_group', { device: 1, group, joinApproval: true });
  const { link } = await call('get_invite', { device: 1, group });
  assert.equal((await call('get_invite', { device: 1, invite: link })).group.subject, 'Open');
  assert.deepEqual(await call('join_group', { device: other, invite: link }), { group, waits: true });
  await eventually('Bob asks to join', async () => {
    const { requests } = await call('list_join_requests', { device: 1, group });
    return requests[0]?.person === bob;
  });
  await call('decide_join_request', { device: 1, group, person: bob, approved: true });
  await call('remove_member', { device: 1, group, person: bob });
  await call('add_members', { device: 1, group, members: [bob] });
  await call('leave_group', { device: other, group });
  await call('delete_device', { device: other });
};

export const sendLater = async (call: Call): Promise<void> => {
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const { messageId } = await call('send_text', { device: 1, to: bob, message: 'Later', sendAt });
  assert.equal((await call('list_scheduled', { device: 1 })).scheduled[0].messageId, messageId);
  await call('cancel_scheduled', { device: 1, messageId });
  assert.deepEqual((await call('list_scheduled', { device: 1 })).scheduled, []);
  assert.equal((await call('set_picture', { device: 1, mediaUrl: null })).profile.picture, null);
};
