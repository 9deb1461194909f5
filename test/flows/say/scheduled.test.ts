/** Messages at a time: kept, listed, changed and cancelled; sent when it has come, or told why they were not. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { shiftedClock } from '../../support/clock.ts';
import { api } from '../../support/api.ts';
import { eventually } from '../../support/wait.ts';
import { untilOpen, untilShown } from '../steps.ts';
import { bob, type Rig, startRig } from './rig.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

describe('messages at a time', () => {
  let rig: Rig;
  const clock = shiftedClock();
  before(async () => {
    rig = await startRig({}, undefined, clock);
  });
  after(() => rig[Symbol.asyncDispose]());

  const at = (ms: number): string => new Date(clock.now() + ms).toISOString();
  const schedule = async (kind: string, body: object, ms = hourMs / 2): Promise<string> => {
    const sendAt = at(ms);
    const answer = await rig.call('POST', `/${kind}`, { toNumber: bob, sendAt, ...body });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.deepEqual(answer.body, { status: 'success', messageId: answer.body.messageId, sendAt });
    return answer.body.messageId;
  };
  const waiting = async () => (await rig.call('GET', '/scheduled')).body.scheduled;
  const none = () => eventually('nothing waits', async () => (await waiting()).length === 0);
  const copies = async (text: string) => (await rig.installation.phones.messages(bob)).filter((m) => m.text === text);

  it('every kind is kept until its time, and sent once under the id of the answer', async () => {
    const original = await rig.send('text', { toNumber: bob, message: 'to be forwarded' });
    const ids = [
      await schedule('text', { message: 'a text' }),
      await schedule('media', { mediaBase64: png, mediaCaption: 'an image' }),
      await schedule('document', { mediaBase64: 'SGVsbG8K', fileName: 'hello.txt' }),
      await schedule('location', { latitude: 52.5, longitude: 13.4, name: 'Berlin' }),
      await schedule('contact', { contacts: [{ name: 'Grace', numbers: ['4915550002222'] }] }),
      await schedule('poll', { question: 'Where to?', options: ['Lisbon', 'Oslo'] }),
      await schedule(`${original}/forward`, {}),
    ];
    const all = await waiting();
    assert.deepEqual(
      all.map(({ messageId }: { messageId: string }) => messageId),
      ids,
    );
    assert.partialDeepStrictEqual(
      all.map(({ type, text, fileBytes }: Record<string, unknown>) => [type, text, fileBytes]),
      [
        ['text', 'a text', null],
        ['image', 'an image', 70],
        ['document', null, 6],
        ['location', 'Berlin', null],
        ['contact', 'Grace', null],
        ['poll', 'Where to?', null],
        ['forward', null, null],
      ],
    );
    const first = (await rig.call('GET', '/scheduled?limit=3')).body;
    const rest = (await rig.call('GET', `/scheduled?cursor=${first.nextCursor}`)).body;
    assert.deepEqual([...first.scheduled, ...rest.scheduled], all);
    assert.equal((await rig.call('GET', `/${ids[0]}`)).status, 404);
    clock.ahead(hourMs);
    for (const id of ids) await rig.shown(bob, id);
    await none();
    for (const id of ids) assert.equal((await rig.logged(id)).state === 'failed', false);
    assert.equal((await copies('a text')).length, 1);
    assert.partialDeepStrictEqual(await rig.shown(bob, ids[2]!), { media: { fileName: 'hello.txt' } });
  });

  it('can be changed and cancelled until it leaves', async () => {
    const changed = await schedule('text', { message: 'at nine' });
    const cancelled = await schedule('text', { message: 'never' });
    const answer = await rig.call('PUT', `/scheduled/${changed}`, { message: 'at ten', sendAt: at(2 * hourMs) });
    assert.partialDeepStrictEqual(answer.body.scheduled, { text: 'at ten', messageId: changed });
    assert.equal((await rig.call('DELETE', `/scheduled/${cancelled}`)).status, 200);
    const unknown = [404, 'Scheduled message not found'];
    assert.deepEqual(await rig.refusal('DELETE', `/scheduled/${cancelled}`), unknown);
    assert.deepEqual(await rig.refusal('PUT', `/scheduled/${cancelled}`, { message: 'x' }), unknown);
    clock.ahead(hourMs);
    await schedule('text', { message: 'between' }, 200);
    await untilShown(rig.installation, bob, 'between');
    assert.equal((await copies('at ten')).length, 0);
    clock.ahead(1.5 * hourMs);
    await rig.shown(bob, changed);
    assert.deepEqual(
      [(await copies('at nine')).length, (await copies('at ten')).length, (await copies('never')).length],
      [0, 1, 0],
    );
  });

  it('is refused with words', async () => {
    const text = { toNumber: bob, message: 'x' };
    const refusals: readonly (readonly [object, string])[] = [
      [{ sendAt: at(-1) }, 'sendAt must be in the future'],
      [{ sendAt: at(91 * dayMs) }, 'sendAt must be within 90 days'],
      [{ sendAt: '2099-01-01T09:00:00' }, 'sendAt must be an RFC 3339 timestamp, like 2026-07-28T09:30:00Z'],
      [{ sendAt: 5 }, 'sendAt must be an RFC 3339 timestamp, like 2026-07-28T09:30:00Z'],
      [{ sendUntil: at(hourMs) }, 'sendUntil must be given with sendAt'],
      [{ sendAt: at(hourMs), sendUntil: at(hourMs / 2) }, 'sendUntil must be after sendAt'],
      [{ sendAt: at(hourMs), sendUntil: at(92 * dayMs) }, 'sendUntil must be within 91 days'],
    ];
    for (const [times, words] of refusals)
      assert.deepEqual(await rig.refusal('POST', '/text', { ...text, ...times }), [400, words]);
    const image = { toNumber: bob, sendAt: at(hourMs), mediaBase64: 'SGVsbG8K' };
    assert.equal((await rig.call('POST', '/media', image)).status, 400);
    assert.deepEqual(await waiting(), []);
  });

  it('one Idempotency-Key is one message, also after it was sent or cancelled', async () => {
    const body = { toNumber: bob, message: 'keyed', sendAt: at(hourMs / 2) };
    const first = await rig.call('POST', '/text', body, 'k1');
    assert.deepEqual((await rig.call('POST', '/text', body, 'k1')).body, first.body);
    assert.equal((await waiting()).length, 1);
    clock.ahead(hourMs);
    await rig.shown(bob, first.body.messageId);
    await none();
    assert.deepEqual((await rig.call('POST', '/text', body, 'k1')).body, first.body);
    const other = { ...body, message: 'cancelled', sendAt: at(hourMs / 2) };
    const second = await rig.call('POST', '/text', other, 'k2');
    await rig.call('DELETE', `/scheduled/${second.body.messageId}`);
    assert.deepEqual((await rig.call('POST', '/text', other, 'k2')).body, second.body);
    assert.deepEqual([(await waiting()).length, (await copies('keyed')).length], [0, 1]);
  });

  it('waits for a device that is away, and fails in words at sendUntil', async () => {
    const { installation, id } = rig;
    const late = await schedule('text', { message: 'late' });
    const lost = await schedule('text', { message: 'too late', sendUntil: at(hourMs) }, 1_000);
    await installation.api.put(`/devices/${id}`, { subscription_status: 'inactive' });
    clock.ahead(2 * hourMs);
    const { update } = await rig.told('message.updated', ({ messageId }) => messageId === lost);
    const error = 'The message was not sent: the device was not connected until the end of its time';
    assert.deepEqual(update, { status: 'failed', error });
    assert.partialDeepStrictEqual(await rig.logged(lost), { state: 'failed', text: 'too late', chatNumber: bob });
    assert.equal((await waiting()).length, 1);
    await installation.api.put(`/devices/${id}`, { subscription_status: 'active' });
    await untilOpen(installation, id);
    await rig.shown(bob, late);
    assert.equal((await copies('too late')).length, 0);
  });

  it('obeys the suppressions, and the key, of its time', async () => {
    const { installation } = rig;
    const made = await installation.api.post('/keys', { name: 'a reminder' });
    const path = `/devices/${rig.id}/messages/text`;
    const body = { toNumber: bob, message: 'revoked', sendAt: at(hourMs / 2) };
    const revoked = (await api(`${installation.handset.url}/v1`, made.body.key.secret).post(path, body)).body.messageId;
    await installation.api.call('DELETE', `/keys/${made.body.key.id}`);
    const suppressed = await schedule('text', { message: 'suppressed' });
    await installation.api.post('/suppressions', { number: bob });
    clock.ahead(hourMs);
    const told = async (messageId: string) =>
      (await rig.told('message.updated', (data) => data.messageId === messageId)).update;
    const noKey = 'The API key that scheduled the message is no longer valid';
    assert.deepEqual(await told(revoked), { status: 'failed', error: noKey });
    const optedOut = 'This number is on your suppression list. Remove it from the list to send again';
    assert.deepEqual(await told(suppressed), { status: 'failed', error: optedOut });
    await installation.api.call('DELETE', `/suppressions/${bob}`);
    await none();
    assert.deepEqual([(await copies('revoked')).length, (await copies('suppressed')).length], [0, 0]);
  });

  it('an hour back, and an hour ahead, is no second message', async () => {
    const id = await schedule('text', { message: 'once' }, 200);
    await rig.shown(bob, id);
    clock.ahead(-hourMs);
    await rig.send('text', { toNumber: bob, message: 'then' });
    clock.ahead(hourMs);
    await schedule('text', { message: 'now' }, 200);
    await untilShown(rig.installation, bob, 'now');
    assert.equal((await copies('once')).length, 1);
  });

  it('at most 1,000 wait, and they go with the device', async () => {
    const body = { toNumber: bob, message: 'many', sendAt: at(dayMs) };
    for (let sent = 0; sent < 1_000; sent += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => rig.call('POST', '/text', body)));
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    }
    const words = '1,000 messages already wait to be sent by this device; cancel some, or wait until they are sent';
    assert.deepEqual(await rig.refusal('POST', '/text', body), [429, words]);
    await rig.installation.api.call('DELETE', `/devices/${rig.id}`);
    assert.equal((await rig.call('GET', '/scheduled')).status, 404);
  });
});
