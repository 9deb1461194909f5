/** A send, killed at each of its steps: with a key it ends in one message, without one it is never sent twice. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Doom } from '../support/doom.ts';
import { type Mortal, startMortal } from '../support/mortal.ts';
import { eventually } from '../support/wait.ts';
import { ada, addPhones, bob, eventsOf, linkDevice, untilEvent, untilOpen, untilShown } from './steps.ts';

interface Step {
  readonly name: string;
  /** Null: killed from outside, when the phone has it and the network's ack is withheld. */
  readonly doom: Doom | null;
  /** Whether the network had it when the process died. */
  readonly sent: boolean;
}

const beforeFrame: readonly Step[] = [
  {
    name: 'after the pending record',
    doom: { when: 'after', call: 'commit', holding: 'a pending message' },
    sent: false,
  },
  {
    name: 'after the ratchet is written, before the frame',
    // One ciphertext for the recipient, one for the own phone: both are written, and no frame has left.
    doom: { when: 'after', call: 'commit', holding: 'an encryption', nth: 2 },
    sent: false,
  },
];
const afterFrame: readonly Step[] = [
  { name: 'after the frame, before the ack', doom: null, sent: true },
  {
    name: 'after the ack, before the commit',
    doom: { when: 'before', call: 'commit', holding: 'message.sent' },
    sent: true,
  },
  {
    name: 'after the commit, before the answer',
    doom: { when: 'after', call: 'commit', holding: 'message.sent' },
    sent: true,
  },
];
const ofKeys: readonly Step[] = [
  { name: 'after the key is claimed', doom: { when: 'after', call: 'begin' }, sent: false },
  { name: 'before the key is finished', doom: { when: 'before', call: 'finish' }, sent: true },
  { name: 'after the key is finished', doom: { when: 'after', call: 'finish' }, sent: true },
];

describe('a send that is killed', () => {
  let mortal: Mortal;
  let id: number;
  before(async () => {
    mortal = await startMortal();
    await addPhones(mortal);
    id = await linkDevice(mortal);
    // The session with Bob is older than what is looked at here.
    await send('hello');
    await mortal.phones.write(bob, { to: ada, text: 'hello' });
    await untilEvent(mortal, id, 'message.received');
  });
  after(() => mortal[Symbol.asyncDispose]());

  const send = (message: string, key?: string) =>
    mortal.api.post(
      `/devices/${id}/messages/text`,
      { toNumber: bob, message },
      key === undefined ? {} : { headers: { 'idempotency-key': key } },
    );

  const copies = async (text: string) => (await mortal.phones.messages(bob)).filter((message) => message.text === text);

  const sendAndDie = async ({ doom, name }: Step, text: string, key?: string): Promise<void> => {
    if (doom === null) await mortal.phones.request('PUT', '/faults', { withholdAcks: true });
    else await mortal.doom(doom);
    const sending = send(text, key).then(
      (answer) => assert.fail(`${name}: it was answered with ${answer.status}`),
      () => undefined,
    );
    if (doom === null) {
      await untilShown(mortal, bob, text);
      await mortal.kill();
      await mortal.phones.request('DELETE', '/faults');
    }
    await Promise.all([sending, mortal.dead()]);
    await mortal.restart();
    await untilOpen(mortal, id);
  };

  /** What is sent later arrives later: when Bob has it, he has all that came before. */
  const settle = async (text: string): Promise<void> => {
    assert.equal((await send(`after ${text}`)).status, 200);
    await untilShown(mortal, bob, `after ${text}`);
  };

  for (const step of [...ofKeys, ...beforeFrame, ...afterFrame]) {
    it(`with a key, ${step.name}: the repeat gives one message under the same id`, async () => {
      const text = `keyed, ${step.name}`;
      await sendAndDie(step, text, step.name);
      assert.equal((await copies(text)).length, step.sent ? 1 : 0);
      const first = await send(text, step.name);
      assert.equal(first.status, 200, JSON.stringify(first.body));
      const second = await send(text, step.name);
      assert.deepEqual(second.body, first.body);
      await settle(text);
      const shown = await copies(text);
      assert.deepEqual(
        shown.map((message) => message.id),
        [first.body.messageId],
      );
      const sent = (await eventsOf(mortal, id)).filter(
        (event) => event.type === 'message.sent' && JSON.stringify(event.data).includes(first.body.messageId),
      );
      assert.equal(sent.length, 1);
    });
  }

  for (const step of [...beforeFrame, ...afterFrame]) {
    it(`without a key, ${step.name}: it is not sent again`, async () => {
      const text = `keyless, ${step.name}`;
      await sendAndDie(step, text);
      await settle(text);
      assert.equal((await copies(text)).length, step.sent ? 1 : 0);
    });
  }

  it('every message that the network accepted counts once', async () => {
    const { messagesSent } = (await mortal.api.get(`/devices/${id}`)).body.device;
    const sent = (await eventsOf(mortal, id)).filter(({ type }) => type === 'message.sent');
    assert.equal(messagesSent, sent.length);
  });

  it('the phones could read everything at once', async () => {
    const stats = await eventually('all is quiet', () => mortal.phones.stats());
    assert.deepEqual([stats.decryptFailures, stats.retriesAsked], [0, 0]);
  });
});
