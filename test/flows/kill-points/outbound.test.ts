/** Sends, killed at each of their steps: with a key each ends in one message, without one none is sent twice. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Answer } from '../../support/api.ts';
import { type Mortal, startMortal } from '../../support/mortal.ts';
import type { Trap } from '../../support/traps/traps.ts';
import { eventually } from '../../support/wait.ts';
import { bob, eventsOf, linkDevice, untilOpen, untilShown } from '../steps.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

interface Step {
  readonly name: string;
  /** Null: killed when the phone has it, while the network withholds its ack. */
  readonly trap: Omit<Trap, 'deviceId'> | null;
  /** Whether the network has it by then. */
  readonly sent: boolean;
  /** Whether the caller has the answer by then. */
  readonly answered?: true;
}

const steps: readonly Step[] = [
  {
    name: 'before anything of it is written',
    trap: { when: 'before', call: 'commit', holding: 'a pending message' },
    sent: false,
  },
  {
    // The record and both ciphertexts' ratchets, one for the recipient and one for the own phone, in one transaction.
    name: 'after record and ratchets are written, before the frame',
    trap: { when: 'after', call: 'commit', holding: 'an encryption' },
    sent: false,
  },
  { name: 'after the frame, before the ack', trap: null, sent: true },
  {
    name: 'after the ack, before the commit',
    trap: { when: 'before', call: 'commit', holding: 'message.sent' },
    sent: true,
  },
  {
    name: 'after the commit, before the answer',
    trap: { when: 'after', call: 'commit', holding: 'message.sent' },
    sent: true,
  },
];
const stepsOfKeys: readonly Step[] = [
  { name: 'after the key is claimed', trap: { when: 'after', call: 'begin' }, sent: false },
  // The answer does not wait for it.
  { name: 'before the key is finished', trap: { when: 'before', call: 'finish' }, sent: true, answered: true },
  { name: 'after the key is finished', trap: { when: 'after', call: 'finish' }, sent: true, answered: true },
];

/** Killed between the upload and the send. */
const uploaded = {
  ...steps[0]!,
  name: 'a document after its upload, before anything of it is written',
  isDocument: true,
} as const;

interface Case extends Step {
  /** Sent as the caption of a document, which is uploaded before anything is written. */
  readonly isDocument?: true;
  /** Sent as the caption of an image that can be opened once, of which nothing is kept after the ack. */
  readonly isOnce?: true;
  readonly key: string | null;
  /** The number of the case's own account, so that no case waits for another. */
  readonly number: string;
  readonly text: string;
}

const cases: readonly Case[] = [
  ...[...stepsOfKeys, ...steps].map((step) => ({ ...step, key: `key, ${step.name}`, text: `keyed, ${step.name}` })),
  ...steps.map((step) => ({ ...step, key: null, text: `keyless, ${step.name}` })),
  { ...uploaded, key: 'a document', text: 'keyed, a document' },
  { ...uploaded, key: null, text: 'keyless, a document' },
  ...steps.map((step) => ({
    ...step,
    isOnce: true as const,
    name: `an image to be opened once, ${step.name}`,
    key: `once, ${step.name}`,
    text: `once, ${step.name}`,
  })),
].map((one, index) => ({ ...one, number: String(4_915_551_000_000 + index) }));

describe('sends that are killed', () => {
  let mortal: Mortal;
  const idOf = new Map<Case, number>();
  const copiesThen = new Map<Case, number>();
  /** Message ids of the cases that were answered before the kill. */
  const answers = new Map<Case, string>();

  const send = (one: Case, message = one.text, key = one.key): Promise<Answer> => {
    const kindOf = (): readonly [string, object] => {
      if (message !== one.text) return ['text', { message }];
      if (one.isDocument) return ['document', { mediaBase64: 'SGVsbG8K', mediaCaption: message }];
      if (one.isOnce) return ['media', { mediaBase64: png, mediaCaption: message, viewOnce: true }];
      return ['text', { message }];
    };
    const [kind, content] = kindOf();
    return mortal.api.post(
      `/devices/${idOf.get(one)!}/messages/${kind}`,
      { toNumber: bob, ...content },
      key === null ? {} : { headers: { 'idempotency-key': key } },
    );
  };

  const copies = async ({ text }: Case) =>
    (await mortal.phones.messages(bob)).filter((message) =>
      [message.text, message.media?.caption, message.image?.caption].includes(text),
    );

  const link = async (one: Case): Promise<void> => {
    await mortal.phones.add(one.number, one.text);
    idOf.set(one, await linkDevice(mortal, one.number));
    // The session with Bob is older than what is looked at here.
    await send(one, 'hello', null);
  };

  before(async () => {
    mortal = await startMortal();
    await mortal.phones.add(bob, 'Bob');
    await Promise.all(cases.map(link));
    const dying = new Map<Case, Promise<string>>();
    const die = (one: Case): void => {
      const end = send(one).then(
        ({ status, body }) => (status === 200 ? `answered ${body.messageId}` : `answered with ${status}`),
        () => 'died',
      );
      dying.set(one, end);
    };
    const trapped = cases.filter(({ trap }) => trap !== null);
    for (const one of trapped) {
      await mortal.trap({ ...one.trap!, deviceId: idOf.get(one)! });
      die(one);
    }
    await mortal.held(trapped.length);
    await mortal.phones.request('PUT', '/faults', { withholdAcks: true });
    for (const one of cases.filter(({ trap }) => trap === null)) {
      die(one);
      await untilShown(mortal, bob, one.text);
    }
    await mortal.kill();
    for (const [one, end] of dying) {
      if (one.answered === undefined) assert.equal(await end, 'died', one.text);
      else answers.set(one, await end);
    }
    await mortal.phones.request('DELETE', '/faults');
    for (const one of cases) copiesThen.set(one, (await copies(one)).length);
    await mortal.restart();
    for (const one of cases) await untilOpen(mortal, idOf.get(one)!);
  });
  after(() => mortal[Symbol.asyncDispose]());

  /** Sends a last message: messages arrive in order, so when Bob has it, he has all before it. */
  const settle = async (one: Case): Promise<void> => {
    assert.equal((await send(one, `after ${one.text}`, null)).status, 200);
    await untilShown(mortal, bob, `after ${one.text}`);
  };

  const sentEvents = async (one: Case) =>
    (await eventsOf(mortal, idOf.get(one)!)).filter(
      ({ type, data }) => type === 'message.sent' && (data as { message: { text: string } }).message.text === one.text,
    );

  for (const one of cases.filter(({ key }) => key !== null)) {
    it(`with a key, ${one.name}: the repeat gives one message under one id`, async () => {
      assert.equal(copiesThen.get(one), one.sent ? 1 : 0);
      const first = await send(one);
      assert.equal(first.status, 200, JSON.stringify(first.body));
      if (one.answered === true) assert.equal(answers.get(one), `answered ${first.body.messageId}`);
      assert.deepEqual((await send(one)).body, first.body);
      await settle(one);
      assert.deepEqual(
        (await copies(one)).map(({ id }) => id),
        [first.body.messageId],
      );
      assert.equal((await sentEvents(one)).length, 1);
    });
  }

  for (const one of cases.filter(({ key }) => key === null)) {
    it(`without a key, ${one.name}: it is not sent again`, async () => {
      assert.equal(copiesThen.get(one), one.sent ? 1 : 0);
      await settle(one);
      assert.equal((await copies(one)).length, one.sent ? 1 : 0);
      // The receipt proves what the ack did not say.
      assert.equal((await sentEvents(one)).length, one.sent ? 1 : 0);
    });
  }

  it('every message that the network accepted counts once', async () => {
    for (const one of cases) {
      const { messagesSent } = (await mortal.api.get(`/devices/${idOf.get(one)!}`)).body.device;
      const sent = (await eventsOf(mortal, idOf.get(one)!)).filter(({ type }) => type === 'message.sent');
      assert.equal(messagesSent, sent.length, one.text);
    }
  });

  it('the phones could read everything at once', async () => {
    const { decryptFailures, retriesAsked } = await mortal.phones.stats();
    assert.deepEqual([decryptFailures, retriesAsked], [0, 0]);
  });

  it('a copy for a phone that could not read a message, killed before the network takes it: it goes after the restart', async () => {
    const { phones } = mortal;
    await phones.request('PATCH', `/phones/${bob}`, { online: false });
    assert.equal((await send(cases[0]!, 'unreadable', null)).status, 200);
    await phones.request('POST', `/phones/${bob}/lose-sessions`);
    await phones.request('PUT', '/faults', { rejectSends: 500 });
    const { messagesIn } = await phones.stats();
    await phones.request('PATCH', `/phones/${bob}`, { online: true });
    await eventually('the copy', async () => Number((await phones.stats())['messagesIn']) > Number(messagesIn));
    await mortal.kill();
    await phones.request('DELETE', '/faults');
    await mortal.restart();
    await untilShown(mortal, bob, 'unreadable');
  });
});
