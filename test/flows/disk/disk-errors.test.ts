/** A disk that fails (EIO) for a while: nothing is acknowledged meanwhile, and what is acknowledged afterwards survives a power cut. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MortalService } from '../../system/support/mortal-service.ts';
import { startSandbox } from '../../../sandbox/src/sandbox.ts';
import { type Api, api } from '../../support/api.ts';
import { type Disk, makeDisk } from '../../support/disk.ts';
import { ownerKey } from '../../support/installation.ts';
import { type Phones, phonesOf } from '../../support/phones.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { eventually } from '../../support/wait.ts';
import { ada, addPhones, bob, eventsOf, linkDevice, untilEvent, untilOpen, untilShown } from '../steps.ts';

const kinds = ['flushes', 'writes', 'both'] as const;

describe('a disk that fails', () => {
  let disk: Disk | null = null;
  let service: MortalService;
  let phones: Phones;
  let receiver: Receiver;
  let device = 0;
  const closing = new AsyncDisposableStack();

  const client = async (): Promise<Api> => api(`${await service.address()}/v1`, ownerKey);
  const place = async () => ({ api: await client(), phones });
  const readiness = async (): Promise<number> => (await fetch(`${await service.address()}/health/ready`)).status;
  const send = async (message: string) =>
    (await client()).post(
      `/devices/${device}/messages/text`,
      { toNumber: bob, message },
      { headers: { 'idempotency-key': message } },
    );
  const posted = (text: string): boolean => receiver.received.some(({ body }) => body.includes(`"${text}"`));
  /** How many stanzas the network keeps for the device, because they were not acknowledged. */
  const unacknowledged = async (): Promise<number> => {
    const { pending } = (await phones.stats()) as { pending: Readonly<Record<string, number>> };
    return Object.values(pending).reduce((sum, count) => sum + count, 0);
  };

  before(async () => {
    disk = await makeDisk();
    if (disk === null) return;
    closing.defer(() => disk!.remove());
    const sandbox = await startSandbox({ port: 0 });
    closing.defer(() => sandbox.close());
    phones = phonesOf(sandbox.controlUrl);
    receiver = await startReceiver();
    closing.defer(() => receiver.close());
    service = new MortalService({
      ...disk.env,
      HANDSET_PORT: '0',
      HANDSET_DATA_DIR: disk.dataDir,
      HANDSET_BOOTSTRAP_KEY: ownerKey,
      HANDSET_NETWORK: sandbox.controlUrl,
      HANDSET_ALLOW_PRIVATE_URLS: 'true',
      HANDSET_RATE_LIMIT: '100000',
      HANDSET_REQUEST_TIMEOUT: '3',
      HANDSET_LOG_LEVEL: 'silent',
    });
    await service.start().ready;
    closing.defer(() => service.kill());
    await addPhones(await place());
    device = await linkDevice(await place(), ada, { webhookUrl: `${receiver.url}/hook` });
  });
  after(() => closing.disposeAsync());

  for (const failing of kinds) {
    it(`acknowledges nothing while ${failing} fail, and goes on when that has passed`, async (t) => {
      if (disk === null) return t.skip('no C compiler');
      const name = `while ${failing} fail`;
      assert.equal((await send(`before ${name}`)).status, 200);
      await untilOpen(await place(), device);
      disk.order({ failing });
      // Nobody else writes: the question itself finds it out.
      await eventually('it says that it is not ready', async () => (await readiness()) === 503);
      const refused = await (await client()).post('/keys', { name: 'a key' });
      assert.equal(refused.status, 503, JSON.stringify(refused.body));
      assert.equal(refused.headers.get('retry-after'), '5');
      assert.notEqual((await send(name)).status, 200);
      await phones.write(bob, { to: ada, text: `to ada ${name}` });
      assert.equal((await (await client()).get('/devices')).status, 200, 'what is there can be read');
      await eventually('the network keeps it', async () => (await unacknowledged()) > 0);
      assert.equal(await readiness(), 503, 'still');
      assert.equal(posted(`to ada ${name}`), false, 'nothing is posted that is not stored');
      assert.deepEqual(
        (await phones.messages(bob)).filter(({ text }) => text === name),
        [],
      );

      disk.order({});
      await eventually('it is ready', async () => (await readiness()) === 200);
      await eventually('what came meanwhile', () => posted(`to ada ${name}`));
      await eventually('all is acknowledged', async () => (await unacknowledged()) === 0);
      await untilOpen(await place(), device);
      const first = await eventually('it is sent', async () => {
        const answer = await send(name);
        return answer.status === 200 && answer;
      });
      await untilShown(await place(), bob, name);

      await service.losePower(disk);
      const told = receiver.received.filter(({ event }) => event.deviceId === device);
      await service.start().ready;
      const logged = new Set((await eventsOf(await place(), device)).map(({ id }) => id));
      const lost = told.filter(({ event }) => !logged.has(event.id));
      assert.deepEqual(lost, [], 'each event that was posted is in the log');
      await untilEvent(
        await place(),
        device,
        'message.received',
        ({ message }: { message: { text: string } }) => message.text === `to ada ${name}`,
      );
      await untilOpen(await place(), device);
      const again = await send(name);
      assert.deepEqual([again.status, again.body.messageId], [200, first.body.messageId]);
      for (const text of [name, `before ${name}`]) {
        assert.equal((await phones.messages(bob)).filter((message) => message.text === text).length, 1, text);
      }
    });
  }
});
