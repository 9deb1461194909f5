/** Sends of one device leave in order, and a late answer of the network to one holds up none behind it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Installation, startInstallation } from '../support/installation.ts';
import { addPhones, bob, linkDevice, untilShown } from './steps.ts';

describe('sends of one device', () => {
  let installation: Installation;
  let id: number;
  before(async () => {
    installation = await startInstallation();
    await addPhones(installation);
    id = await linkDevice(installation);
  });
  after(() => installation[Symbol.asyncDispose]());

  const send = (message: string) => installation.api.post(`/devices/${id}/messages/text`, { toNumber: bob, message });

  it('leave in the order of the requests', async () => {
    const texts = Array.from({ length: 30 }, (_, index) => `in order ${index}`);
    const answers = [];
    for (const text of texts) {
      answers.push(send(text));
      // The next request is made when this one has been taken up, not when it has been answered.
      await installation.api.get('/me');
    }
    for (const answer of await Promise.all(answers)) assert.equal(answer.status, 200);
    await untilShown(installation, bob, texts.at(-1)!);
    const shown = (await installation.phones.messages(bob)).map(({ text }) => text);
    assert.deepEqual(shown, texts);
  });

  it('do not wait for the answers to those before them', async () => {
    await installation.phones.request('PUT', '/faults', { withholdAcks: true });
    let answered = false;
    const first = send('unanswered').then((answer) => {
      answered = true;
      return answer;
    });
    await untilShown(installation, bob, 'unanswered');
    const second = send('behind it');
    await untilShown(installation, bob, 'behind it');
    assert.equal(answered, false);
    await installation.phones.request('DELETE', '/faults');
    // A renewed link sends what was not acknowledged again, under its id: the phone shows it once.
    await installation.phones.request('POST', '/drop', {});
    assert.equal((await first).status, 200);
    assert.equal((await second).status, 200);
    const shown = (await installation.phones.messages(bob)).map(({ text }) => text);
    assert.equal(shown.filter((text) => text === 'unanswered').length, 1);
    assert.equal(shown.filter((text) => text === 'behind it').length, 1);
    assert.equal((await installation.api.get(`/devices/${id}`)).body.device.messagesSent, 32);
  });
});
