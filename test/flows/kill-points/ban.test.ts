/** A service that is killed around a temporary ban: the link is never lost, and the end of the session is told once. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Mortal, startMortal } from '../../support/mortal.ts';
import { eventually } from '../../support/wait.ts';
import { ada, addPhones, bob, eventsOf, linkDevice, untilOpen, untilShown } from '../steps.ts';

describe('a service that is killed around a temporary ban', () => {
  let mortal: Mortal;
  let id: number;
  const reason = async (): Promise<string> =>
    (await mortal.api.get(`/devices/${id}/session`)).body.session.reason ?? '';
  const closings = async () =>
    (await eventsOf(mortal, id)).filter(({ type }) => /closed|logout/.test(type)).map(({ data }) => data);
  const ban = () => mortal.phones.faults({ temporaryBan: { code: 104, seconds: 86_400 } });
  const untilBanned = () =>
    eventually('the ban in words', async () => /banned the account until.*104/.test(await reason()));

  before(async () => {
    mortal = await startMortal();
    await addPhones(mortal);
    id = await linkDevice(mortal);
  });
  after(() => mortal[Symbol.asyncDispose]());

  const comeBack = async (): Promise<void> => {
    assert.equal((await mortal.phones.get(ada)).linkedDevices.length, 1);
    await mortal.phones.faults({});
    assert.equal((await mortal.api.post(`/devices/${id}/restart`)).status, 200);
    await untilOpen(mortal, id);
  };

  for (const when of ['before', 'after'] as const) {
    it(`killed ${when} the end of the session is written`, async () => {
      const { length } = await closings();
      await mortal.trap({ deviceId: id, when, call: 'commit', holding: 'connection.closed' });
      await ban();
      await mortal.held(1);
      await mortal.kill();
      await mortal.restart();
      await untilBanned();
      const told = await eventually('the end of the session', async () => {
        const now = (await closings()).slice(length);
        return now.length > 0 && now;
      });
      assert.equal(told.length, 1);
      assert.partialDeepStrictEqual(told[0], { reason: 'temporarily_banned', willReconnect: true });
      await comeBack();
    });
  }

  it('killed in the middle of a ban, twice', async () => {
    await ban();
    await untilBanned();
    const { length } = await closings();
    for (let death = 0; death < 2; death += 1) {
      await mortal.kill();
      await mortal.restart();
      await untilBanned();
    }
    assert.equal((await closings()).length, length, 'nothing is told twice');
    await comeBack();
    await mortal.api.post(`/devices/${id}/messages/text`, { toNumber: bob, message: 'still linked' });
    await untilShown(mortal, bob, 'still linked');
  });
});
