/** A webhook through its life: failing, looked at, repaired, replayed, rotated, stopped, taken away and given back. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import { openShell } from '../cli/terminal.support.ts';
import { type Installation, ownerKey, startInstallation } from '../support/installation.ts';
import { type Received, type Receiver, startReceiver, verify } from '../support/receiver.ts';
import { eventually } from '../support/wait.ts';
import { ada, addPhones, bob, linkDevice } from './steps.ts';
import { retryDelays } from '../../src/webhooks/attempt.ts';

interface DeliveryView {
  readonly id: string;
  readonly eventId: string;
  readonly state: string;
  readonly attempts: number;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly lastDurationMs: number | null;
  readonly lastResponse: string | null;
  readonly lastAttemptAt: string | null;
  readonly nextAttemptAt: string | null;
}

describe('a webhook', () => {
  /** The time at which the service's clock stands still, so that no retry comes by itself. */
  let held: number | null = null;
  const clock = { ...systemClock, now: () => held ?? Date.now() };
  let installation: Installation;
  let receiver: Receiver;
  let id: number;
  before(async () => {
    installation = await startInstallation({}, undefined, clock);
    receiver = await startReceiver();
    await addPhones(installation);
    const webhookEvents = ['message.received'];
    id = await linkDevice(installation, ada, { webhookUrl: `${receiver.url}/hook`, webhookEvents });
  });
  after(async () => {
    await installation[Symbol.asyncDispose]();
    await receiver.close();
  });

  const write = (text: string): Promise<readonly string[]> => installation.phones.write(bob, { to: ada, text });
  const webhook = async () => (await installation.api.get(`/devices/${id}/webhook`)).body.webhook;
  const deliveries = async (state: string): Promise<readonly DeliveryView[]> =>
    (await installation.api.get(`/devices/${id}/deliveries?state=${state}`)).body.deliveries;
  const oneIn = (state: string): Promise<DeliveryView> =>
    eventually(`a ${state} delivery`, async () => (await deliveries(state))[0]);
  const none = (state: string): Promise<boolean> =>
    eventually(`no ${state} delivery`, async () => (await deliveries(state)).length === 0);
  const setUrl = (webhookUrl: string | null) => installation.api.put(`/devices/${id}`, { webhookUrl });
  const countOf = (eventId: string): number => receiver.received.filter(({ event }) => event.id === eventId).length;

  it('that fails shows why, and since when', async () => {
    held = Date.now();
    receiver.answer({ status: 503, body: 'down for repair' });
    await write('one');
    const delivery = await eventually('a failed attempt', async () => {
      const [found] = await deliveries('pending');
      return found !== undefined && found.attempts > 0 && found;
    });
    assert.equal(delivery.lastStatus, 503);
    assert.equal(delivery.lastError, 'the endpoint answered 503');
    assert.equal(delivery.lastResponse, 'down for repair');
    assert.ok(delivery.lastDurationMs! >= 0);
    const wait = Date.parse(delivery.nextAttemptAt!) - Date.parse(delivery.lastAttemptAt!);
    const planned = retryDelays[delivery.attempts - 1]!;
    assert.ok(wait >= planned / 2 && wait <= planned * 1.5, `retry ${delivery.attempts} comes after ${wait} ms`);
    const { health, failingSince } = await webhook();
    assert.equal(health, 'failing');
    assert.ok(Date.now() - Date.parse(failingSince) < 60_000);
  });

  it('that is repaired gets what waits, at once when asked for, and is healthy again', async () => {
    receiver.answer({ status: 200 });
    const [delivery] = await deliveries('pending');
    const retried = await installation.api.post(`/devices/${id}/deliveries/${delivery!.id}/retry`);
    assert.equal(retried.body.delivery.state, 'pending');
    await none('pending');
    const { health, failingSince, lastSuccessAt } = await webhook();
    assert.deepEqual([health, failingSince], ['healthy', null]);
    held = null;
    assert.ok(Date.now() - Date.parse(lastSuccessAt) < 60_000);
  });

  it('gets a delivered event again when asked for, under the same id and with the same body', async () => {
    const [delivery] = await deliveries('delivered');
    const earlier = countOf(delivery!.eventId);
    await installation.api.post(`/devices/${id}/deliveries/${delivery!.id}/retry`);
    await receiver.until(earlier + 1, ({ event }) => event.id === delivery!.eventId);
    const bodies = receiver.received.filter(({ event }) => event.id === delivery!.eventId).map(({ body }) => body);
    assert.equal(new Set(bodies).size, 1);
    await none('pending');
  });

  it('is tested with a signed event', async () => {
    const { test } = (await installation.api.post(`/devices/${id}/webhook/test`)).body;
    assert.equal(test.delivered, true);
    const [post] = await receiver.until(1, ({ event }) => event.type === 'test');
    verify((await webhook()).secret, post!);
  });

  it('whose secret is rotated carries both signatures', async () => {
    const former = (await webhook()).secret;
    await installation.api.post(`/devices/${id}/webhook/rotate-secret`);
    const { secret } = await webhook();
    const [written] = await write('after the rotation');
    const [post] = await receiver.until(1, ({ body }) => body.includes(written!));
    verify(former, post!);
    verify(secret, post!);
  });

  it('that answers 410 is stopped, and goes on with its URL set again; what failed is replayed together', async () => {
    receiver.answer({ status: 410 });
    await write('gone');
    const failed = await oneIn('failed');
    assert.equal(failed.lastStatus, 410);
    const { health, disabledAt } = await webhook();
    assert.equal(health, 'disabled');
    assert.ok(Date.now() - Date.parse(disabledAt) < 60_000);
    await using shell = await openShell({ HANDSET_URL: installation.handset.url, HANDSET_KEY: ownerKey });
    const shown = (await shell.handset(['webhook', 'show', String(id), 'primary'])).stdout;
    assert.match(shown, /Health: +stopped at 20.*Z by an answer of 410: "handset webhook set" starts it/);
    const how = `waits: an answer of 410 has stopped the webhook; set webhookUrl by PUT /devices/${id} to start it`;
    const { retried, paused, status } = (await installation.api.post(`/devices/${id}/deliveries/retry`)).body;
    assert.deepEqual([retried, paused, status.message], [1, true, `1 delivery ${how}`]);
    const replayed = await shell.handset(['deliveries', 'replay', String(id), 'primary', failed.id]);
    assert.equal(replayed.stdout, `Delivery ${failed.id} ${how}\n`);
    receiver.answer({ status: 200 });
    const posts = receiver.received.length;
    await write('while it is stopped');
    await setUrl(`${receiver.url}/hook`);
    assert.equal((await webhook()).health, 'healthy');
    const [later] = await write('after that');
    await receiver.until(1, ({ body }) => body.includes(later!));
    await receiver.until(2, ({ event }) => event.id === failed.eventId);
    assert.equal(countOf(failed.eventId), 2);
    await none('failed');
    assert.ok(receiver.received.length > posts);
  });

  it('that is taken away and given back: what waited is posted', async () => {
    held = Date.now();
    receiver.answer({ status: 500 });
    const [waiting] = await write('waits');
    await receiver.until(1, ({ body }) => body.includes(waiting!));
    await eventually('a failed attempt', async () => (await deliveries('pending'))[0]?.attempts === 1);
    await setUrl(null);
    assert.equal((await webhook()).health, 'disabled');
    receiver.answer({ status: 200 });
    await setUrl(`${receiver.url}/other`);
    held = null;
    const [delivery] = await deliveries('pending');
    if (delivery !== undefined) await installation.api.post(`/devices/${id}/deliveries/${delivery.id}/retry`);
    await receiver.until(1, ({ body, path }) => path === '/other' && body.includes(waiting!));
    await none('pending');
  });

  it('has others beside it, made on the command line: signed, with their headers, and not held up by a dead one', async () => {
    await using shell = await openShell({ HANDSET_URL: installation.handset.url, HANDSET_KEY: ownerKey });
    await using more = await startReceiver();
    more.answer(({ path }) =>
      path === '/dead'
        ? 'hang'
        : path === '/broken'
          ? { status: 500 }
          : { status: 200, body: 'taken', headers: { 'x-request-id': 'r1' } },
    );
    const add = async (device: string, path: string, ...rest: string[]) => {
      const args = ['webhook', 'add', device, `${more.url}${path}`, '--event', 'message.received', ...rest];
      return (await shell.json(args))[0] as { webhook: { id: string }; secret: string };
    };
    const header = ['--header', 'X-Key: sesame'];
    const own = await add(String(id), '/own', '--event', 'chat.settled', '--settle', '1', '--only', bob, ...header);
    const { webhook: wide } = await add('all', '/all', '--ordered', 'off');
    const guarded = ['webhook', 'add', 'all', 'http://169.254.169.254/latest', '--event', 'call'];
    assert.match((await shell.handset(guarded)).stderr, /^handset: <url> must not point to /);
    await add(String(id), '/dead');
    const { webhook: broken } = await add('all', '/broken');
    await add(String(id), '/other', '--except', bob);
    await write('several');
    const [settled] = await more.until(1, ({ event }) => event.type === 'chat.settled');
    const texts = (settled!.event.data as { messages: { text: string }[] }).messages.map(({ text }) => text);
    assert.equal(texts.at(-1), 'several');
    const isMessage = ({ event }: Received) => event.type === 'message.received';
    const paths = ['/all', '/broken', '/dead', '/own'];
    for (const each of paths) await more.until(1, (one) => one.path === each && isMessage(one));
    const got = more.received.filter(isMessage);
    // By now the broken one may have been tried again.
    assert.deepEqual(new Set(got.map(({ path }) => path)), new Set(paths));
    const post = got.find(({ path }) => path === '/own')!;
    assert.equal(post.headers['x-key'], 'sesame');
    verify(own.secret, post);
    const at = [String(id), own.webhook.id];
    const listed = await eventually('both are delivered', async () => {
      const { stdout } = await shell.handset(['deliveries', 'list', ...at, '--state', 'delivered']);
      return /message\.received/.test(stdout) && /chat\.settled/.test(stdout) && stdout;
    });
    const ofAll = (await shell.handset(['deliveries', 'list', 'all', wide.id])).stdout;
    assert.match(ofAll, new RegExp(`DELIVERY +DEVICE [^]*\\ndlv_\\w+ +${id} `));
    const delivery = /dlv_\w+/.exec(listed)![0];
    const page = ['deliveries', 'list', ...at, '--limit', '1'];
    const { stderr: next } = await shell.handset(page);
    const further = await shell.handset([...page, '--cursor', /More: --cursor (\S+)/.exec(next)![1]!]);
    assert.match(further.stdout, /\ndlv_/);
    assert.match((await shell.handset(['deliveries', 'show', ...at, delivery])).stdout, / 200 [^]*x-request-id: r1/);
    await shell.handset(['deliveries', 'replay', ...at, delivery]);
    await more.until(2, ({ path, event }) => path === '/own' && event.type === 'chat.settled');
    const checked = (await shell.handset(['doctor'])).stdout;
    assert.match(checked, new RegExp(`device ${id} [^:]*: its webhook ${own.webhook.id} is healthy`));
    assert.match(
      checked,
      new RegExp(
        `PROBLEM +all devices: its webhook ${broken.id} has been failing since 2.*delivery list all ${broken.id}`,
      ),
    );
    const metrics = await (await fetch(`${installation.handset.url}/metrics`)).text();
    assert.match(metrics, /handset_deliveries_total\{outcome="delivered",webhook="additional"\} \d/);
    assert.match((await shell.handset(['webhook', 'test', ...at])).stdout, /^Delivered: 200/);
    assert.match((await shell.handset(['webhook', 'list', String(id)])).stdout, /whk_[^]*primary/);
    const update = ['webhook', 'update', ...at, '--all-chats', '--enabled', 'off'];
    assert.match((await shell.handset(update)).stdout, /Chats: +all\n[^]*disabled/);
    const off = `the webhook is turned off; set enabled to true by PUT /devices/${id}/webhooks/${own.webhook.id} to start it`;
    assert.equal(
      (await shell.handset(['deliveries', 'replay', ...at, delivery])).stdout,
      `Delivery ${delivery} waits: ${off}\n`,
    );
    assert.match((await shell.handset(['webhook', 'secret', ...at, '--rotate'])).stdout, /^whsec_/);
    assert.equal((await shell.handset(['webhook', 'delete', ...at])).code, 2);
    assert.equal((await shell.handset(['webhook', 'delete', ...at, '--yes'])).code, 0);
    assert.match((await shell.handset(['webhook', 'show', ...at])).stderr, /Webhook not found/);
  });
});
