/** The client library against the running service: typed calls, retries, event streams, webhooks. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import {
  type EventOf,
  type Handset,
  HandsetError,
  HandsetUnreachable,
  type HandsetEvent,
  WebhookVerificationError,
  createHandset,
  receiveWebhook,
  unwrap,
  verifyWebhook,
} from '../../client/src/index.ts';
import { operations } from '../../client/src/operations.ts';
import { resources } from '../../client/src/resources.ts';
import { operations as all } from '../../src/http/handlers/operations.ts';
import { operationTable } from '../../tools/client-document.ts';
import { generatedFiles } from '../../tools/client-types.ts';
import { ada, addPhones, bob, linkDevice, untilShown } from '../flows/steps.ts';
import { type Installation, ownerKey, startInstallation } from '../support/installation.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { eventually } from '../support/wait.ts';

const membersOf = (schema: unknown): readonly string[] => {
  const properties: unknown = typeof schema === 'object' && schema !== null ? Reflect.get(schema, 'properties') : null;
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
};

it('every operation has its place in a resource, under names that path, query and body do not share', () => {
  assert.deepEqual(operations, operationTable(), 'client/src/operations.ts is stale: run "npm run client:types"');
  const placed = Object.values(resources).flatMap((methods) => Object.values(methods));
  assert.deepEqual(placed.toSorted(), Object.keys(operations).toSorted());
  for (const { id, path, query, body } of all) {
    if (!Object.hasOwn(operations, id)) continue;
    const names = [path.matchAll(/\{(\w+)\}/g).map(([, name]) => name), membersOf(query), membersOf(body?.schema)];
    const flat = names.flatMap((part) => [...part]);
    assert.equal(new Set(flat).size, flat.length, id);
  }
});

it('the generated files of both clients are those of the contract', () => {
  for (const [path, text] of Object.entries(generatedFiles())) {
    const found = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    assert.ok(found === text, `${path} is stale: run "npm run client:types"`);
  }
});

describe('the client library', () => {
  let installation: Installation;
  let receiver: Receiver;
  let handset: Handset;
  let id: number;
  let path: { params: { path: { id: number } } };

  /** The service has another port after a restart. */
  const reach = (input: string, init: RequestInit): Promise<Response> =>
    fetch(input.replace('http://handset', installation.handset.url), init);
  const clientWith = (via: typeof reach, retry = {}): Handset =>
    createHandset({ url: 'http://handset', key: ownerKey, fetch: via, retry: { delayMs: 10, ...retry } });

  before(async () => {
    installation = await startInstallation();
    receiver = await startReceiver();
    await addPhones(installation);
    id = await linkDevice(installation, ada, { webhookUrl: `${receiver.url}/hook` });
    path = { params: { path: { id } } };
    handset = clientWith(reach);
  });
  after(async () => {
    await receiver.close();
    await installation[Symbol.asyncDispose]();
  });

  it('calls operations by their paths, and gives their bodies typed', async () => {
    const { devices } = await unwrap(handset.GET('/devices'));
    const status: 'connected' | 'qr' | 'timeout' = devices[0]!.status;
    assert.equal(status, 'connected');
    const { data } = await handset.GET('/me');
    assert.equal(data?.service.network, 'sandbox');
    const body = { toNumber: bob, message: 'typed' };
    const { messageId } = await unwrap(handset.POST('/devices/{id}/messages/text', { ...path, body }));
    assert.equal((await untilShown(installation, bob, 'typed')).id, messageId);
    // @ts-expect-error -- a member that the document does not know
    await handset.POST('/devices/{id}/messages/text', { ...path, body: { toNumber: bob, mesage: 'x' } });
  });

  it('calls operations by resource, with path, query and body in one object', async () => {
    const { device } = await handset.devices.get({ id });
    assert.equal(device.status, 'connected');
    const { messageId } = await handset.messages.sendText({ id, toNumber: bob, message: 'by resource' });
    assert.equal((await untilShown(installation, bob, 'by resource')).id, messageId);
    const kept = { id, toNumber: bob, latitude: 52.5, longitude: 13.4 };
    const places = [1, 2].map(() => handset.messages.sendLocation(kept, { idempotencyKey: 'place-1' }));
    const [first, again] = await Promise.all(places);
    assert.equal(first?.messageId, again?.messageId);
    const { message } = await handset.messages.get({ id, messageId, chat: `${bob}@s.whatsapp.net` });
    assert.equal(message.text, 'by resource');
    const qr = await handset.devices.qr({ id }).catch((error: unknown) => error);
    assert.ok(qr instanceof HandsetError && qr.status === 404);
    // @ts-expect-error -- a member that the document does not know
    await assert.rejects(handset.messages.sendText({ id, toNumber: bob, mesage: 'x' }), { status: 400 });
    // @ts-expect-error -- the device is missing
    await assert.rejects(handset.devices.get({}), { message: 'getDevice: id is missing' });
  });

  it('uploads a file, as a Blob and as a stream, and tells why one is refused', async () => {
    const blob = new Blob(['%PDF-1.5\n'], { type: 'application/pdf' });
    for (const source of [blob, blob.stream()]) {
      const { file } = await handset.upload(id, source);
      assert.deepEqual([file.bytes, file.mimetype], [9, 'application/pdf']);
      await handset.messages.sendDocument({ id, toNumber: bob, fileId: file.id, fileName: 'a.pdf' });
    }
    const refused = handset.upload(id, new Uint8Array());
    await assert.rejects(refused, { name: 'HandsetError', status: 400, message: /^The file is empty/ });
    await assert.rejects(handset.upload(id, blob, { signal: AbortSignal.abort() }), { name: 'AbortError' });
    const away = createHandset({ url: 'http://127.0.0.1:9', key: ownerKey });
    await assert.rejects(away.upload(id, blob), { name: 'HandsetUnreachable' });
  });

  it('gives a page where it is awaited, and every item where it is iterated over', async () => {
    const page = await handset.messages.list({ id, limit: 1 });
    assert.equal(page.messages.length, 1);
    const texts: string[] = [];
    for await (const message of handset.messages.list({ id, limit: 1, type: 'text' })) texts.push(message.text ?? '');
    assert.deepEqual(texts, ['by resource', 'typed']);
    await assert.rejects(
      async () => {
        for await (const _ of handset.messages.list({ id: 999 })) assert.fail();
      },
      { status: 404 },
    );
  });

  it('throws what the service answered, with the id of the request', async () => {
    const missing = unwrap(handset.GET('/devices/{id}', { params: { path: { id: 999 } } }));
    await assert.rejects(missing, (error) => {
      assert.ok(error instanceof HandsetError);
      assert.equal(error.status, 404);
      assert.equal(error.message, 'Device not found');
      assert.match(error.requestId ?? '', /^[\w-]{10,}$/);
      return true;
    });
    const stranger = createHandset({ url: installation.handset.url, key: 'hs_wrong' });
    await assert.rejects(unwrap(stranger.GET('/me')), { name: 'HandsetError', status: 401, message: /Bearer/ });
  });

  it('sends once, though the answers are lost', async () => {
    let calls = 0;
    const lossy = clientWith(async (input, init) => {
      const response = await reach(input, init);
      calls += 1;
      if (calls > 2) return response;
      await response.text();
      throw new TypeError('fetch failed');
    });
    const body = { toNumber: bob, message: 'once' };
    const { messageId } = await unwrap(lossy.POST('/devices/{id}/messages/text', { ...path, body }));
    assert.equal(calls, 3);
    assert.equal((await untilShown(installation, bob, 'once')).id, messageId);
    const copies = (await installation.phones.messages(bob)).filter(({ text }) => text === 'once');
    assert.equal(copies.length, 1);
  });

  it('does not repeat what may have had an effect, and gives up after its attempts', async () => {
    let calls = 0;
    const dead = clientWith(async () => {
      calls += 1;
      throw new TypeError('fetch failed');
    });
    await assert.rejects(dead.POST('/devices', { body: {} }), /fetch failed/);
    assert.equal(calls, 1, 'creating a device is not repeated');
    await assert.rejects(dead.GET('/devices'), /fetch failed/);
    assert.equal(calls, 1 + 4);
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address() as AddressInfo;
    free.close();
    const wrong = createHandset({ url: `http://127.0.0.1:${port}/v1`, key: ownerKey, retry: { delayMs: 1 } });
    for (const call of [() => wrong.GET('/me'), () => wrong.account.get()])
      await assert.rejects(call, (error) => {
        assert.ok(error instanceof HandsetUnreachable && error.cause instanceof Error);
        const address = `127.0.0.1:${port}`;
        assert.equal(error.url, `http://${address}`);
        assert.equal(error.message, `http://${address} cannot be reached: connect ECONNREFUSED ${address}`);
        return true;
      });
  });

  it('waits as long as a 429 says, and no longer than it may', async () => {
    const times: number[] = [];
    const limited = (retryAfter: string) => async (input: string, init: RequestInit) => {
      times.push(performance.now());
      if (times.length > 1) return reach(input, init);
      const body = JSON.stringify({ status: { code: 429, message: 'Rate limit exceeded' } });
      return new Response(body, { status: 429, headers: { 'retry-after': retryAfter } });
    };
    await unwrap(clientWith(limited('1')).POST('/devices/{id}/webhook/test', path));
    assert.ok(times[1]! - times[0]! >= 990, 'a POST that was refused is repeated after a second');
    times.length = 0;
    const impatient = clientWith(limited('3600')).GET('/me');
    await assert.rejects(unwrap(impatient), { status: 429, message: 'Rate limit exceeded', retryAfterMs: 3_600_000 });
  });

  it('iterates over events, and goes on after a restart of the service with none left out', async () => {
    const stop = new AbortController();
    const texts: (string | null)[] = [];
    let opened = 0;
    const counting = clientWith(async (input, init) => {
      const response = await reach(input, init);
      opened += 1;
      return response;
    });
    const reading = (async () => {
      for await (const event of counting.events(id, { signal: stop.signal })) {
        if (event.type === 'message.received') texts.push(event.data.message.text);
        if (texts.at(-1) === 'three') break;
      }
    })();
    await eventually('the stream is open', () => opened > 0);
    await installation.stop();
    await installation.phones.write(bob, { to: ada, text: 'one' });
    await installation.restart();
    await eventually('the first text', () => texts.length === 1);
    await installation.phones.write(bob, { to: ada, text: 'two' });
    await installation.phones.write(bob, { to: ada, text: 'three' });
    await reading;
    assert.deepEqual(texts, ['one', 'two', 'three']);
    assert.ok(opened > 1);
  });

  it('replays events after an id, ends when it is told to, and throws what the service refuses', async () => {
    const { events } = await unwrap(
      handset.GET('/devices/{id}/events', { ...path, params: { ...path.params, query: { limit: 3 } } }),
    );
    const stop = new AbortController();
    const seen: HandsetEvent[] = [];
    for await (const event of handset.events(id, { after: events[0]!.id, signal: stop.signal })) {
      seen.push(event);
      if (seen.length === 2) stop.abort();
    }
    assert.deepEqual(seen.slice(0, 2), events.slice(1));
    const refused = (async () => {
      for await (const event of handset.events(999)) assert.fail(event.id);
    })();
    await assert.rejects(refused, { name: 'HandsetError', status: 404 });
  });

  it('verifies what a webhook got, and gives the event typed', async () => {
    const { webhook } = await unwrap(handset.GET('/devices/{id}/webhook', path));
    const [post] = await receiver.until(1, ({ event }) => event.type === 'connection.open');
    const { headers, body } = post!;
    const event = await verifyWebhook(body, headers, { secret: ['whsec_AAAA', webhook.secret] });
    assert.ok(event.type === 'connection.open');
    const open: EventOf<'connection.open'> = event;
    assert.equal(open.data.phoneNumber, ada);
    const request = new Request('http://hook', { method: 'POST', headers, body });
    assert.deepEqual(await receiveWebhook(request, { secret: webhook.secret }), event);
    const wrong: readonly (readonly [string, Record<string, string>, number?])[] = [
      [`${body} `, headers],
      [body, { ...headers, 'webhook-id': 'evt_2' }],
      [body, { ...headers, 'webhook-signature': 'v1,AAAA v2,x' }],
      [body, { ...headers, 'webhook-timestamp': '1' }],
      [body, {}],
      [body, headers, Date.now() + 301_000],
    ];
    for (const [given, with_, now = Date.now()] of wrong) {
      await assert.rejects(verifyWebhook(given, with_, { secret: webhook.secret, now }), WebhookVerificationError);
    }
    await assert.rejects(verifyWebhook(body, headers, { secret: 'whsec_AAAA' }), WebhookVerificationError);
    const plain = verifyWebhook as unknown as (...given: unknown[]) => Promise<unknown>;
    await assert.rejects(
      plain(event, headers, { secret: webhook.secret }),
      /TypeError: The body must be the raw request body/,
    );
    await assert.rejects(plain(body, headers, { secret: undefined }), /TypeError: The secret must be a webhook secret/);
  });

  it('tells at once that the address or the key is missing, and takes the address with /v1 too', async () => {
    const plain = createHandset as unknown as (options: object) => Handset;
    assert.throws(() => plain({ url: 'localhost:8080', key: ownerKey }), /url must be the address of the service/);
    assert.throws(() => plain({ url: undefined, key: ownerKey }), /url must be/);
    assert.throws(() => plain({ url: 'http://localhost:8080', key: undefined }), /key must be an API key/);
    for (const suffix of ['/', '/v1', '/v1/']) {
      const { data } = await createHandset({ url: installation.handset.url + suffix, key: ownerKey }).GET('/me');
      assert.equal(data?.user.name, 'owner', suffix);
    }
  });
});
