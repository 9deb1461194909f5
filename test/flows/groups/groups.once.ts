/** Groups as they are made: one for one `Idempotency-Key` (docs/spec/http-interface.md, Idempotency), and a chat at once (docs/spec/chats.md). */
import assert from 'node:assert/strict';
import type { Answer } from '../../support/api.ts';
import { eventually } from '../../support/wait.ts';
import { ada, bob, callsOf, type Rig } from '../say/rig.ts';
import { untilOpen } from '../steps.ts';

type Make = (subject: string, key: string) => Promise<Answer>;

/** A community of the same subject, and its group for announcements, are not the group that was asked for. */
const repeatsWhatNeverArrived = async ({ installation, id }: Rig, make: Make): Promise<void> => {
  const { api, phones } = installation;
  const { body } = await api.call('POST', `/devices/${id}/communities`, { subject: 'Town' });
  const town: string = body.community.jid;
  const theirs = [town, ...body.community.groups.map(({ jid }: { jid: string }) => jid)];
  assert.equal(theirs.length, 2, JSON.stringify(body));
  await phones.request('PUT', '/faults', { halfOpen: true });
  const both = [make('Town', 'town'), make('Town', 'town')];
  assert.equal((await Promise.race(both)).status, 409);
  await phones.request('DELETE', '/faults');
  await api.call('POST', `/devices/${id}/restart`);
  await Promise.all(both);
  await untilOpen(installation, id);
  const again = await make('Town', 'town');
  assert.equal(again.status, 200, JSON.stringify(again.body));
  const made: string = again.body.group.jid;
  assert.ok(!theirs.includes(made), `${made} is of the community`);
  await api.call('DELETE', `/devices/${id}/groups/${made}/members/${bob}`);
  await api.call('DELETE', `/devices/${id}/communities/${town}`);
};

export const makesOnce = async (rig: Rig): Promise<void> => {
  const control = <T>(method: string, path: string, body?: unknown) =>
    rig.installation.phones.request<T>(method, path, body);
  const make = (subject: string, key: string) =>
    rig.installation.api.call(
      'POST',
      `/devices/${rig.id}/groups`,
      { subject, members: [bob] },
      { headers: { 'idempotency-key': key } },
    );
  const named = async (subject: string): Promise<string[]> =>
    (await control<{ groups: { jid: string; subject: string }[] }>('GET', `/phones/${ada}/groups`)).groups
      .filter((group) => group.subject === subject)
      .map(({ jid }) => jid);
  const first = await make('Once', 'once');
  assert.equal(first.status, 200);
  assert.deepEqual((await make('Once', 'once')).body, first.body);
  const other = await make('Other', 'once');
  assert.deepEqual(
    [other.status, other.body.status.message],
    [400, 'Idempotency-Key was used before with another request'],
  );
  assert.equal((await make('Once', 'twice')).status, 200);
  assert.equal((await named('Once')).length, 2);

  await control('PUT', '/faults', { latencyMs: 60_000 });
  const lost = make('Lost', 'lost');
  const [jid] = await eventually('the group to be made', async () => {
    const made = await named('Lost');
    return made.length > 0 && made;
  });
  const meanwhile = await make('Lost', 'lost');
  assert.deepEqual(
    [meanwhile.status, meanwhile.body.status.message],
    [409, 'A request with this Idempotency-Key is still running'],
  );
  await control('DELETE', '/faults');
  await rig.installation.api.call('POST', `/devices/${rig.id}/restart`);
  assert.equal((await lost).status, 404);
  await untilOpen(rig.installation, rig.id);
  const again = await make('Lost', 'lost');
  assert.deepEqual([again.status, again.body.group?.jid], [200, jid], JSON.stringify(again.body));
  assert.deepEqual(
    again.body.results.map(({ result }: { result: string }) => result),
    ['added'],
  );
  assert.deepEqual((await make('Lost', 'lost')).body, again.body);
  assert.deepEqual(await named('Lost'), [jid]);
  await repeatsWhatNeverArrived(rig, make);
  for (const group of [...(await named('Once')), jid])
    await rig.installation.api.call('DELETE', `/devices/${rig.id}/groups/${group}/members/${bob}`);
};

interface Listed {
  readonly chat: string;
  readonly name: string;
  readonly unread: number;
  readonly lastMessage: unknown;
}

export const isChat = async (rig: Rig): Promise<void> => {
  const { call, done, refused } = callsOf(() => rig);
  const control = <T>(method: string, path: string, body?: unknown) =>
    rig.installation.phones.request<T>(method, path, body);
  const made = (await done('POST', '/groups', { subject: 'Silent', members: [bob] })).group.jid;
  const { jid: added } = await control<{ jid: string }>('POST', '/groups', {
    subject: 'Quiet',
    owner: bob,
    participants: [ada],
  });
  await eventually('the chat', async () => (await call('GET', `/chats/${added}`)).status === 200);
  const { chats } = await done('GET', '/chats');
  const listed = (of: string) => {
    const found: Listed = chats.find(({ chat }: Listed) => chat === of);
    return [found?.name, found?.unread, found?.lastMessage];
  };
  assert.deepEqual(
    [listed(made), listed(added)],
    [
      ['Silent', 0, null],
      ['Quiet', 0, null],
    ],
  );
  const typing = { state: 'text' };
  await done('PUT', `/chats/${added}/typing`, typing);
  await done('DELETE', `/groups/${added}`);
  assert.deepEqual(await refused('PUT', `/chats/${added}/typing`, typing), [
    400,
    'chat cannot be written to: the account is not in this group',
  ]);
  assert.deepEqual(await refused('POST', '/messages/text', { to: added, message: 'x' }), [
    400,
    'to cannot be written to: the account is not in this group',
  ]);
  await done('DELETE', `/groups/${made}/members/${bob}`);
};
