/** The network of 2026: a group is made as today's clients make it, and people come into it with the tokens that they have given. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BinaryNode } from 'baileys';
import { childOf, childrenOf } from '../../../sandbox/src/base/nodes.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { eventually } from '../../support/wait.ts';
import { ada, bob, linkDevice } from '../steps.ts';

const cyd = '4915550003333';
const dan = '4915550004444';

interface Told {
  readonly group: string;
  readonly reason?: string;
}

describe('a group that is made', () => {
  let installation: Installation;
  let id: number;
  /** Requests about groups. */
  const asked: BinaryNode[] = [];
  const carried = async (number: string): Promise<Readonly<Record<string, number>>> =>
    (
      await installation.phones.request<{ phone: { tokens: { carried: Record<string, number> } } }>(
        'GET',
        `/phones/${number}`,
      )
    ).phone.tokens.carried;
  const joined = async (group: string): Promise<(string | undefined)[]> =>
    (await installation.api.get(`/devices/${id}/events?types=group.joined`)).body.events
      .map(({ data }: { data: Told }) => data)
      .filter((data: Told) => data.group === group)
      .map(({ reason }: Told) => reason);
  const isHeard = (): Promise<boolean> =>
    eventually('an empty queue', () =>
      [...installation.hub.findAccount(ada)!.devices.values()].every(({ queue }) => queue.size === 0),
    );

  before(async () => {
    installation = await startInstallation({}, undefined, undefined, {
      record(entry) {
        if (entry.kind !== 'stanza' || entry.from !== 'client' || entry.number !== ada) return;
        if (entry.node.attrs.xmlns === 'w:g2') asked.push(entry.node);
      },
    });
    const { phones } = installation;
    for (const number of [ada, bob, cyd, dan]) await phones.add(number, 'Somebody');
    for (const number of [bob, cyd, dan]) await phones.behave(number, { requiresToken: true });
    id = await linkDevice(installation);
    for (const number of [bob, dan]) await phones.request('PUT', `/phones/${number}/tokens/${ada}`);
    await isHeard();
  });
  after(() => installation[Symbol.asyncDispose]());

  it('has no key and all of its settings, people come with their tokens, and it is told once', async () => {
    const { api } = installation;
    const made = await api.post(`/devices/${id}/groups`, { subject: 'Tea', members: [bob, cyd] });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    const { jid, memberAddMode, joinApproval, expiresInSeconds } = made.body.group;
    assert.deepEqual([memberAddMode, joinApproval, expiresInSeconds], ['everyone', false, null]);
    const create = asked.map((node) => childOf(node, 'create')).find((node) => node !== undefined)!;
    assert.deepEqual(create.attrs, { subject: 'Tea' });
    assert.deepEqual(
      childrenOf(create).map(({ tag, content }) => [
        tag,
        Array.isArray(content) ? content.map((each) => each.tag) : null,
      ]),
      [
        ['participant', ['privacy']],
        ['participant', null],
        ['member_add_mode', null],
        ['ephemeral', null],
        ['membership_approval_mode', ['group_join']],
      ],
    );
    assert.deepEqual(
      [await carried(bob), await carried(cyd)],
      [
        { tctoken: 1, cstoken: 0, wrong: 0, none: 0 },
        { tctoken: 0, cstoken: 0, wrong: 0, none: 1 },
      ],
    );
    // The notice of the account's own act.
    await isHeard();
    assert.deepEqual(await joined(jid), ['created']);
    const added = await api.post(`/devices/${id}/groups/${jid}/members`, { members: [dan] });
    assert.equal(added.status, 200, JSON.stringify(added.body));
    assert.equal((await carried(dan))['tctoken'], 1);
    assert.equal((await api.delete(`/devices/${id}/groups/${jid}/members/${dan}`)).status, 200);
    assert.equal((await carried(dan))['wrong'], 0);
  });
});
