/** The timers of disappearing messages: messages are sent under that of their chat. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../support/wait.ts';
import { linkDevice, untilOpen } from '../steps.ts';
import { bob, type Rig, startRig } from './rig.ts';

describe('timers of chats', () => {
  let rig: Rig;
  before(async () => (rig = await startRig()));
  after(() => rig[Symbol.asyncDispose]());

  it("obeys the chat's timer, also after a restart, until it is switched off", async () => {
    const setAt = 1_790_000_000;
    const { restart } = rig.installation;
    const timer = (seconds: number, at: number) =>
      rig.fromBobRaw({ protocolMessage: { type: 3, ephemeralExpiration: seconds, ephemeralSettingTimestamp: at } });
    const contextOf = async (body: object = { toNumber: bob, latitude: 1, longitude: 1 }) => {
      const { locationMessage } = await rig.content(await rig.send('location', body));
      const { expiration = null, ephemeralSettingTimestamp = null } = locationMessage?.contextInfo ?? {};
      return [Number(expiration), Number(ephemeralSettingTimestamp)];
    };
    assert.deepEqual(await contextOf(), [0, 0]);
    await timer(604_800, setAt);
    assert.deepEqual(await contextOf(), [604_800, setAt]);
    const id = await rig.send('text', { toNumber: bob, message: 'soon gone' });
    assert.equal((await rig.shown(bob, id)).expiresInSeconds, 604_800);
    assert.equal((await rig.logged(id)).expiresInSeconds, 604_800);
    // In other chats messages stay.
    assert.deepEqual(await contextOf({ to: rig.group, latitude: 1, longitude: 1 }), [0, 0]);
    await restart();
    await untilOpen(rig.installation, rig.id);
    assert.deepEqual(await contextOf(), [604_800, setAt]);
    // An older word of it changes nothing.
    await timer(86_400, setAt - 1);
    assert.deepEqual(await contextOf(), [604_800, setAt]);
    await timer(0, setAt + 1);
    assert.deepEqual(await contextOf(), [0, 0]);
  });

  it('learns from the history that comes with a pairing what timers chats have', async () => {
    const { api, phones } = rig.installation;
    const [owner, friend] = ['4915550007001', '4915550007002'];
    await phones.add(owner, 'Olga');
    const { jid } = await phones.add(friend, 'Fred');
    const since = Math.floor(Date.now() / 1_000);
    await phones.request('PATCH', `/phones/${owner}/chats/${jid}`, { expiresInSeconds: 604_800 });
    const id = await linkDevice(rig.installation, owner);
    const chat = () => api.get(`/devices/${id}/chats/${friend}`);
    await eventually('the timer', async () => (await chat()).body.chat?.expiresInSeconds === 604_800);
    const sent = await api.post(`/devices/${id}/messages/text`, { toNumber: friend, message: 'soon gone' });
    assert.equal(sent.status, 200);
    assert.equal((await rig.shown(friend, sent.body.messageId)).expiresInSeconds, 604_800);
    // A later word of the chat's other side is newer than that of the history.
    const message = { protocolMessage: { type: 3, ephemeralExpiration: 0, ephemeralSettingTimestamp: since + 60 } };
    await phones.write(friend, { to: owner, message });
    await eventually('no timer', async () => (await chat()).body.chat.expiresInSeconds === null);
  });

  it("obeys a group's timer, and tells of it", async () => {
    const { phones, restart } = rig.installation;
    const set = (expiresInSeconds: number) =>
      phones.request('PATCH', `/phones/${bob}/chats/${rig.group}`, { expiresInSeconds });
    const told = (seconds: number | null) =>
      rig.told(
        'message.updated',
        (data) =>
          data.chat === rig.group && 'expiresInSeconds' in data.update && data.update.expiresInSeconds === seconds,
      );
    const contextOf = async () => {
      const id = await rig.send('location', { to: rig.group, latitude: 1, longitude: 1 });
      const { expiration, ephemeralSettingTimestamp } = (await rig.content(id)).locationMessage?.contextInfo ?? {};
      return { id, expiration: expiration ?? 0, setAt: Number(ephemeralSettingTimestamp ?? 0) };
    };
    const since = Math.floor(Date.now() / 1_000);
    await set(604_800);
    const { update } = await told(604_800);
    assert.equal(update.from.jid, rig.jids.bob);
    for (const restarted of [false, true]) {
      if (restarted) {
        await restart();
        await untilOpen(rig.installation, rig.id);
      }
      const { id, expiration, setAt } = await contextOf();
      assert.equal(expiration, 604_800);
      assert.ok(setAt >= since && setAt <= Date.now() / 1_000, String(setAt));
      assert.equal((await rig.shown(bob, id)).expiresInSeconds, 604_800);
      assert.equal((await rig.logged(id)).expiresInSeconds, 604_800);
    }
    await set(0);
    await told(null);
    assert.equal((await contextOf()).expiration, 0);
  });
});
