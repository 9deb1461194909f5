/** The network of 2026: the text about an account is written by both ways, and may have an end. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { shiftedClock } from '../../support/clock.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { ada, addPhones, bob, linkDevice, untilEvent } from '../steps.ts';

interface Shown {
  readonly about: string | null;
  readonly textStatus: { readonly text: string; readonly seconds: number } | null;
}

describe('the text about an account', () => {
  const clock = shiftedClock();
  let installation: Installation;
  let id: number;
  const change = (body: object) => installation.api.put(`/devices/${id}/profile`, body);
  const read = async () => {
    const { about, aboutExpiresAt } = (await installation.api.get(`/devices/${id}/profile`)).body.profile;
    return [about, aboutExpiresAt] as const;
  };
  const shown = async (): Promise<Shown> =>
    (await installation.phones.request<{ profile: Shown }>('GET', `/phones/${ada}/profile`)).profile;

  before(async () => {
    installation = await startInstallation({}, undefined, clock);
    await addPhones(installation);
    id = await linkDevice(installation);
  });
  after(() => installation[Symbol.asyncDispose]());

  it('is in both places; empty takes it out of both', async () => {
    const { status, body } = await change({ about: 'At the sea' });
    assert.deepEqual([status, body.profile.about, body.profile.aboutExpiresAt], [200, 'At the sea', null]);
    const { about, textStatus } = await shown();
    assert.deepEqual([about, textStatus?.text, textStatus?.seconds], ['At the sea', 'At the sea', 0]);
    assert.equal((await change({ about: '' })).status, 200);
    assert.deepEqual(await shown().then((profile) => [profile.about, profile.textStatus]), ['', null]);
    assert.deepEqual(await read(), [null, null]);
  });

  it('ends when it is to end', async () => {
    const aboutExpiresAt = new Date(Math.ceil(clock.now() / 1_000) * 1_000 + 86_400_000).toISOString();
    const { status, body } = await change({ about: 'Back tomorrow', aboutExpiresAt });
    assert.equal(status, 200, JSON.stringify(body));
    const [about, end] = await read();
    assert.equal(about, 'Back tomorrow');
    assert.ok(Math.abs(Date.parse(end) - Date.parse(aboutExpiresAt)) <= 2_000, end);
    clock.ahead(86_400_000 + 5_000);
    assert.deepEqual(await read(), [null, null]);
  });

  it('that the new way refuses goes the old way alone, and one with an end is refused', async () => {
    const long = 'x'.repeat(60);
    const aboutExpiresAt = new Date(clock.now() + 86_400_000).toISOString();
    const refused = await change({ about: long, aboutExpiresAt });
    assert.deepEqual([refused.status, /leave out aboutExpiresAt/.test(refused.body.status.message)], [400, true]);
    assert.notEqual((await shown()).about, long, 'nothing is half done');
    await change({ about: '' });
    assert.equal((await change({ about: long })).status, 200);
    assert.deepEqual(await read(), [long, null]);
  });

  it('with an end that is none says what is wrong', async () => {
    const soon = new Date(clock.now() + 60_000).toISOString();
    for (const [body, words] of [
      [{ aboutExpiresAt: soon }, 'aboutExpiresAt needs about'],
      [{ about: '', aboutExpiresAt: soon }, 'aboutExpiresAt needs about'],
      [{ about: 'x', aboutExpiresAt: '2020-01-01T00:00:00Z' }, 'aboutExpiresAt must be in the future'],
      [{ about: 'x', aboutExpiresAt: '2999-01-01T00:00:00Z' }, 'aboutExpiresAt must be within a year'],
      [{ about: 'x', aboutExpiresAt: 'soon' }, 'aboutExpiresAt must be an RFC 3339 timestamp'],
    ] as const) {
      const { status, body: answer } = await change(body);
      assert.deepEqual([status, answer.status.message.startsWith(words)], [400, true], answer.status.message);
    }
  });

  it('of somebody else is read where they write it today, and where they wrote it before', async () => {
    await installation.phones.write(bob, { to: ada, text: 'hello' });
    await untilEvent(installation, id, 'message.received');
    const about = async () => (await installation.api.get(`/devices/${id}/contacts/${bob}`)).body.contact.about;
    await installation.phones.request('PATCH', `/phones/${bob}/profile`, { about: 'Before' });
    const { profile } = installation.hub.state.registry.stateOf(installation.hub.findAccount(bob)!);
    profile.textStatus = { text: 'Today', emoji: '🌊', seconds: 0, at: Math.floor(Date.now() / 1_000) };
    assert.equal(await about(), 'Today');
  });
});
