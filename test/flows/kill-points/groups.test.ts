/**
 * Changes of groups, killed before they are written and before the network hears that they are: each is told once, whoever has made it. The network
 * tells the device that made a change, too, so that an answer that is lost is made good by the notice.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Mortal, startMortal } from '../../support/mortal.ts';
import { eventually } from '../../support/wait.ts';
import { bob, linkDevice, untilOpen } from '../steps.ts';

const cyd = '4915550003333';
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

type Kind = 'group.updated' | 'group.joined' | 'group.left';
type Data = Readonly<Record<string, unknown>> & { readonly group: string; readonly change?: object };

interface Change {
  readonly what: string;
  readonly type: Kind;
  /** The member of `change`, or the reason. */
  readonly tells: string;
  /** The account owns the group; else it is a member of Bob's. */
  readonly owns?: boolean;
  /** Below the group of the device's interface. */
  readonly call?: readonly [method: string, path: string, body?: object];
  /** A change by a phone: the account's own, or Bob's. */
  readonly patch?: object;
}

const changes: readonly Change[] = [
  { what: 'a subject', type: 'group.updated', tells: 'subject', owns: true, call: ['PUT', '', { subject: 'Tea' }] },
  {
    what: 'a new member',
    type: 'group.updated',
    tells: 'added',
    owns: true,
    call: ['POST', '/members', { members: [cyd] }],
  },
  { what: 'a new link', type: 'group.updated', tells: 'invite', owns: true, call: ['POST', '/invite/rotate'] },
  {
    what: 'a picture',
    type: 'group.updated',
    tells: 'picture',
    owns: true,
    call: ['PUT', '/picture', { mediaBase64: pixel }],
  },
  { what: 'leaving', type: 'group.left', tells: 'left', call: ['DELETE', ''] },
  {
    what: 'a subject by the own phone',
    type: 'group.updated',
    tells: 'subject',
    owns: true,
    patch: { subject: 'Tea' },
  },
  { what: 'a subject by another member', type: 'group.updated', tells: 'subject', patch: { subject: 'Tea' } },
  { what: 'a picture by another member', type: 'group.updated', tells: 'picture', patch: { pictureBase64: pixel } },
  { what: 'being removed', type: 'group.left', tells: 'removed', patch: {} },
];

interface Case extends Change {
  readonly when: 'before' | 'after';
  /** The number of the case's own account, so that no case waits for another. */
  readonly number: string;
}

const cases: readonly Case[] = changes
  .flatMap((change) => [
    { ...change, when: 'before' as const },
    { ...change, when: 'after' as const },
  ])
  .map((one, index) => ({ ...one, number: String(4_915_553_000_000 + index) }));

describe('changes of groups that are killed', () => {
  let mortal: Mortal;
  const devices = new Map<Case, number>();
  const groups = new Map<Case, string>();
  let waiting: Readonly<Record<string, number>>;

  const pending = async () => (await mortal.phones.stats()).pending as Readonly<Record<string, number>>;
  const told = async (one: Case): Promise<readonly Data[]> => {
    const { events } = (await mortal.api.get(`/devices/${devices.get(one)}/events?types=${one.type}&limit=1000`)).body;
    return events
      .map(({ data }: { data: Data }) => data)
      .filter(({ group, change, reason }: Data) => {
        if (group !== groups.get(one)) return false;
        return change === undefined ? reason === one.tells : one.tells in change;
      });
  };

  const prepare = async (one: Case): Promise<void> => {
    await mortal.phones.add(one.number, one.what);
    const id = await linkDevice(mortal, one.number);
    devices.set(one, id);
    const [owner, participants] = one.owns === true ? [one.number, [bob]] : [bob, [one.number]];
    const made = await mortal.phones.request<{ jid: string }>('POST', '/groups', {
      subject: 'Us',
      owner,
      participants,
    });
    groups.set(one, made.jid);
    await eventually(
      'the group',
      async () => (await mortal.api.get(`/devices/${id}/groups`)).body.groups?.length === 1,
    );
    await eventually('its notice', async () => (await pending())[`${one.number}:1@s.whatsapp.net`] === undefined);
  };
  const happen = async (one: Case): Promise<void> => {
    const path = `/devices/${devices.get(one)}/groups/${groups.get(one)}`;
    if (one.call !== undefined) {
      const [method, below, body] = one.call;
      // Its answer is lost with the process.
      void mortal.api.call(method, path + below, body).catch(() => undefined);
      return;
    }
    const body = one.what === 'being removed' ? { remove: [one.number] } : one.patch;
    await mortal.phones.request('PATCH', `/groups/${groups.get(one)}`, body);
  };

  before(async () => {
    mortal = await startMortal();
    for (const [number, name] of [
      [bob, 'Bob'],
      [cyd, 'Cyd'],
    ] as const)
      await mortal.phones.add(number, name);
    await Promise.all(cases.map(prepare));
    for (const one of cases) {
      await mortal.trap({ when: one.when, call: 'commit', holding: one.type, deviceId: devices.get(one)! });
      await happen(one);
    }
    await mortal.held(cases.length);
    waiting = await pending();
    await mortal.kill();
    await mortal.restart();
    for (const one of cases) await untilOpen(mortal, devices.get(one)!);
  });
  after(() => mortal[Symbol.asyncDispose]());

  for (const one of cases) {
    const by = one.call === undefined ? '' : ' by this interface';
    it(`${one.what}${by}, ${one.when} it is written: told once`, async () => {
      const device = `${one.number}:1@s.whatsapp.net`;
      assert.ok(waiting[device]! >= 1, 'the network had its ack already');
      await eventually('the event', async () => (await told(one)).length > 0);
      await eventually('the ack', async () => (await pending())[device] === undefined);
      // Asking the network tells of nothing more.
      await mortal.api.get(`/devices/${devices.get(one)}/groups/${groups.get(one)}`);
      const [event, ...more] = await told(one);
      assert.deepEqual(more, []);
      const { number } = event!['by'] as { number: string };
      assert.equal(number, one.owns === true || one.call !== undefined ? one.number : bob);
    });
  }
});
