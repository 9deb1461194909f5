/** Revokes by administrators of a group: whoever was one when the revoke was sent, whatever has come since. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../support/wait.ts';
import { type Rig, startRig, type Watched } from '../driver.support.ts';

const [ann, bob, cyd, dan] = ['4915300000031', '4915300000032', '4915300000033', '4915300000034'] as const;

describe('revokes in groups', () => {
  let rig: Rig;
  let watched: Watched;
  let deviceId: number;
  let group: string;
  const patch = (body: object): Promise<unknown> => rig.phones.request('PATCH', `/groups/${group}`, body);
  const write = async (number: string, body: object): Promise<string> =>
    (await rig.phones.write(number, { to: group, ...body }))[0]!;
  /** Waits for the device to have a text, and all that came before it. */
  const heard = async (text: string): Promise<void> => {
    await rig.event(deviceId, 'message.received', ({ data }) => data.message.text === text);
  };
  const deleted = async (): Promise<readonly string[]> =>
    (await rig.events(deviceId)).flatMap(({ event }) =>
      event.type === 'message.deleted' ? [`${event.data.messageId} ${event.data.by.number}`] : [],
    );
  /** A revoke as somebody writes it who asks nobody. */
  const revoke = async (by: string, id: string, author: string): Promise<void> => {
    const { lid } = (await rig.phones.get(author)) as unknown as { lid: string };
    const key = { remoteJid: group, fromMe: false, id, participant: lid };
    await write(by, { message: { protocolMessage: { type: 0, key } } });
  };
  const away = async (work: () => Promise<void>): Promise<void> => {
    await watched.session.close();
    await work();
    watched = rig.connect(deviceId);
    await watched.opened();
  };

  before(async () => {
    rig = await startRig();
    for (const [number, name] of [
      [bob, 'Bob'],
      [cyd, 'Cyd'],
      [dan, 'Dan'],
    ] as const)
      await rig.phones.add(number, name);
    ({ watched, deviceId } = await rig.linked(ann, 'Ann'));
    const made = { subject: 'Us', owner: bob, participants: [ann, cyd, dan] };
    group = (await rig.phones.request<{ jid: string }>('POST', '/groups', made)).jid;
    await patch({ promote: [cyd] });
  });
  after(() => rig[Symbol.asyncDispose]());

  for (const state of ['open', 'away'] as const) {
    it(`one who was administrator then and is not now may, the reverse may not: ${state}`, async () => {
      const [first, second] = [
        await write(bob, { text: `first ${state}` }),
        await write(bob, { text: `second ${state}` }),
      ];
      await heard(`second ${state}`);
      const earlier = await deleted();
      const work = async (): Promise<void> => {
        await revoke(cyd, first, bob);
        await patch({ demote: [cyd] });
        await revoke(dan, second, bob);
        await patch({ promote: [dan] });
        await write(bob, { text: `last ${state}` });
      };
      await (state === 'open' ? work() : away(work));
      await heard(`last ${state}`);
      assert.deepEqual((await deleted()).slice(earlier.length), [`${first} ${cyd}`]);
      // Now she may, and he may not any more.
      await revoke(cyd, second, bob);
      await revoke(dan, second, bob);
      await eventually('the revoke', async () => (await deleted()).length > earlier.length + 1);
      assert.deepEqual((await deleted()).slice(earlier.length + 1), [`${second} ${dan}`]);
      await patch({ promote: [cyd], demote: [dan] });
    });
  }
});
