/** A stop while sends wait for their acknowledgement: they are answered, never reset. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import { addPhones, bob, linkDevice } from '../flows/steps.ts';

it('a send whose acknowledgement is out is waited for at a stop, and then answered with what to do', async () => {
  await using installation = await startInstallation();
  await addPhones(installation);
  const id = await linkDevice(installation);
  const send = (message: string) =>
    installation.api.post(
      `/devices/${id}/messages/text`,
      { toNumber: bob, message },
      { headers: { 'idempotency-key': message } },
    );
  assert.equal((await send('before')).status, 200);
  const untilOut = (text: string) =>
    eventually('it is out', async () => (await installation.phones.messages(bob)).some((shown) => shown.text === text));
  await installation.phones.faults({ ackDelayMs: 2_000 });
  const slow = send('acknowledged in time');
  await untilOut('acknowledged in time');
  await installation.phones.faults({ withholdAcks: true });
  const lost = send('never acknowledged');
  await untilOut('never acknowledged');
  const stopped = installation.stop();
  assert.equal((await slow).status, 200, JSON.stringify((await slow).body));
  const { status, body, headers } = await lost;
  await stopped;
  assert.equal(status, 503, JSON.stringify(body));
  assert.match(JSON.stringify(body), /The service is stopping .* a send with its Idempotency-Key/);
  assert.match(headers.get('retry-after') ?? '', /^\d+$/);
  await installation.phones.faults({});
  await installation.restart();
  await eventually('the repeat is the same message', async () => (await send('never acknowledged')).status === 200);
  const texts = (await installation.phones.messages(bob)).map(({ text }) => text);
  assert.equal(texts.filter((text) => text === 'never acknowledged').length, 1);
});
