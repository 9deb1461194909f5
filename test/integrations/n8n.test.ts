/** The n8n nodes, built as they are published, against the real service and the sandbox's phones. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ada, addPhones, bob, linkDevice, untilEvent, untilShown } from '../flows/steps.ts';
import { type Installation, ownerKey, startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import { coreHost } from './n8n.core.ts';
import { type Host, type Item, type Triggered, buildPackage, playedHost, responder } from './n8n.host.ts';

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const number = '+49 (155) 5000-2222';

describe('the n8n nodes', () => {
  let installation: Installation;
  let folder: string;
  let device: number;
  let played: Awaited<ReturnType<typeof playedHost>>;
  let hosts: readonly (readonly [string, Host])[];

  /** The workflow that is active, and the items with which it was started. */
  let active = null as Triggered | null;
  let started: Item[] = [];
  const webhooks = createServer((request, response) => {
    void (async () => {
      const rawBody = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
      const items = (await active?.receive(Object.assign(request, { rawBody }), responder(response))) ?? [];
      started.push(...items);
      if (!response.headersSent) response.writeHead(200).end('{"message":"Workflow was started"}');
    })();
  });

  before(async () => {
    installation = await startInstallation();
    folder = await mkdtemp(join(tmpdir(), 'handset-n8n-'));
    const [linked] = await Promise.all([
      addPhones(installation).then(() => linkDevice(installation, ada, { name: 'Support' })),
      buildPackage(folder),
    ]);
    device = linked;
    const credentials = { baseUrl: `${installation.handset.url}/`, apiKey: ownerKey };
    await once(webhooks.listen(0, '127.0.0.1'), 'listening');
    const webhookBase = `http://127.0.0.1:${(webhooks.address() as AddressInfo).port}/webhook/`;
    const setting = { directory: folder, credentials, webhookBase };
    const core = await coreHost(process.env.N8N_CORE, setting);
    played = await playedHost(setting);
    hosts = [['played', played], ...(core === null ? [] : [['n8n-core', core] as const])];
  });
  after(async () => {
    webhooks.close();
    webhooks.closeAllConnections();
    await installation[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const onEach = (name: string, play: (host: Host, label: string) => Promise<void>): void => {
    it(name, async (t) => {
      for (const [label, host] of hosts) await t.test(label, () => play(host, label));
    });
  };

  it('the package is one that n8n takes', async () => {
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
    assert.match(String(manifest.name), /^n8n-nodes-/);
    assert.ok((manifest.keywords as string[]).includes('n8n-community-node-package'));
    assert.equal(manifest.dependencies, undefined, 'community nodes bring no packages');
    assert.equal(manifest.license, 'MIT');
  });

  onEach(
    'credentials are tested, devices are offered, and what the service refuses is said in its words',
    async (host) => {
      const answer = await fetch(await host.testRequest(), { headers: { authorization: `Bearer ${ownerKey}` } });
      assert.equal(answer.status, 200);
      assert.deepEqual(await host.load('getDevices'), [{ name: 'Support', value: device }]);
      const wrong = { resource: 'message', operation: 'sendText', device, to: '+49 155 5999 9999', message: 'x' };
      await assert.rejects(host.execute(wrong), /Handset answered 400: .*no account has this number/);
      await assert.rejects(host.execute({ ...wrong, to: '' }), /To is empty/);
    },
  );

  onEach('sends, replies and reacts, each once however often it is tried', async (host, label) => {
    const message = `Hello from ${label}`;
    const text = { resource: 'message', operation: 'sendText', device, to: number, message };
    const run = { execution: `of ${label}`, round: 0 };
    const [sent] = await host.execute(text, run);
    assert.deepEqual(Object.keys(sent!), ['messageId']);
    assert.deepEqual(await host.execute(text, run), [sent], 'the node is tried again');
    const { id, chat } = await untilShown(installation, bob, message);
    assert.equal(id, sent!.messageId);
    const [next] = await host.execute({ ...text, message: `${message} again` }, { ...run, round: 1 });
    assert.notEqual(next!.messageId, id, 'the next round of a loop');

    const [written] = await installation.phones.write(bob, { to: ada, text: `Who is ${label}?` });
    await eventually(
      'it has arrived',
      async () => (await installation.api.get(`/devices/${device}/messages/${written}`)).status === 200,
    );
    const { jid } = await installation.phones.get(bob);
    const reply = {
      resource: 'message',
      operation: 'reply',
      device,
      to: jid,
      messageId: written,
      message: `I, ${label}`,
    };
    await host.execute(reply);
    const shown = await untilShown(installation, bob, `I, ${label}`);
    assert.equal((shown as unknown as { quotedId: string }).quotedId, written);
    await host.execute({ resource: 'message', operation: 'react', device, messageId: written, reaction: '👍' });
    await eventually('the reaction', async () => {
      const messages = await installation.phones.messages(bob);
      return JSON.stringify(messages.find((one) => one.id === written)).includes('👍');
    });
    const [got] = await host.execute({ resource: 'message', operation: 'get', device, messageId: id });
    assert.equal(got!.text, message);
    assert.ok(chat.length > 0);
  });

  onEach('sends files and places', async (host, label) => {
    const files = createServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'image/png' }).end(pixel),
    );
    await once(files.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(files.address() as AddressInfo).port}/a/offer.png`;
    try {
      const file = { resource: 'message', operation: 'sendFile', device, to: bob, url };
      await host.execute({ ...file, kind: 'media', caption: `a pixel of ${label}` });
      await untilShown(installation, bob, `a pixel of ${label}`);
      const [{ messageId } = {}] = await host.execute({ ...file, kind: 'document', fileName: `${label}.png` });
      const document = await eventually('the document', async () =>
        (await installation.phones.messages(bob)).find(({ id }) => id === messageId),
      );
      assert.deepEqual(
        { ...(document.media as object), caption: undefined },
        {
          ...(document.media as object),
          caption: undefined,
          fileName: `${label}.png`,
          sha256: createHash('sha256').update(pixel).digest('hex'),
        },
      );
    } finally {
      files.close();
      files.closeAllConnections();
    }
    const place = { resource: 'message', operation: 'sendLocation', device, to: bob, locationName: `Gate of ${label}` };
    const [{ messageId } = {}] = await host.execute({ ...place, latitude: 52.5, longitude: 13.4 });
    const shown = await eventually('the place', async () =>
      (await installation.phones.messages(bob)).find(({ id }) => id === messageId),
    );
    assert.match(JSON.stringify(shown), new RegExp(`Gate of ${label}`));
  });

  it('sends a file of the input item', async () => {
    const [, host] = hosts[0]!;
    const $binary = { bytes: pixel, fileName: 'pixel.png', mimeType: 'image/png' };
    const file = { resource: 'message', operation: 'sendFile', device, to: bob, kind: 'media', source: 'binary' };
    await host.execute({ ...file, caption: 'from the input' }, undefined, [{ $binary }]);
    await untilShown(installation, bob, 'from the input');
  });

  onEach('chats, contacts and devices', async (host) => {
    await installation.phones.write(bob, { to: ada, text: 'unread' });
    const chats = { resource: 'chat', operation: 'getMany', device, unread: true };
    await eventually('an unread chat', async () => (await host.execute(chats)).length === 1);
    await host.execute({ resource: 'chat', operation: 'markRead', device, chat: number });
    assert.deepEqual(await host.execute(chats), []);
    const [typing] = await host.execute({
      resource: 'chat',
      operation: 'setTyping',
      device,
      chat: bob,
      state: 'voice',
    });
    assert.equal((typing!.typing as Item).state, 'voice');
    const [contact] = await host.execute({ resource: 'contact', operation: 'get', device, chat: bob });
    assert.equal(contact!.pushName, 'Bob');
    const numbers = `${bob}, 4915559999999`;
    const found = await host.execute({ resource: 'contact', operation: 'lookUp', device, numbers });
    assert.deepEqual(
      found.map(({ exists }) => exists),
      [true, false],
    );
    const devices = await host.execute({ resource: 'device', operation: 'getMany' });
    assert.deepEqual(
      devices.map(({ id }) => id),
      [device],
    );
    const [one] = await host.execute({ resource: 'device', operation: 'get', device });
    assert.equal(one!.status, 'connected');
  });

  onEach('the workflow of the docs answers a message, and an event that comes twice once', async (host, label) => {
    const path = join(import.meta.dirname, '../../docs/examples/n8n-workflow.json');
    const { nodes } = JSON.parse(await readFile(path, 'utf8')) as { nodes: { name: string; parameters: Item }[] };
    const [message] = await installation.phones.write(bob, { to: ada, text: `Is ${label} there?` });
    const event = await untilEvent(
      installation,
      device,
      'message.received',
      (data: { message: { id: string } }) => data.message.id === message,
    );
    const play = (name: string): Promise<readonly Item[]> =>
      host.execute(nodes.find((node) => node.name === name)!.parameters, undefined, [event as unknown as Item]);
    const [{ messageIds } = {}] = await play('Mark as read');
    assert.deepEqual(messageIds, [message]);
    const answers = [await play('Reply'), await play('Reply')];
    assert.deepEqual(answers[0], answers[1]);
    const { text } = await eventually('the answer', async () =>
      (await installation.phones.messages(bob)).find(({ id }) => id === answers[0]![0]!.messageId),
    );
    assert.equal(text, 'Thank you, Bob. We will answer soon.');
  });

  it('the trigger offers kinds of events that the service has', async () => {
    const { components } = (await (await fetch(`${installation.handset.url}/openapi.json`)).json()) as {
      components: { schemas: { AnyEventKind: { enum: string[] } } };
    };
    const known = components.schemas.AnyEventKind.enum;
    assert.deepEqual(
      played.offered('events').filter((kind) => !known.includes(kind)),
      [],
    );
  });

  onEach('a trigger has a webhook while it is active, and starts with what Handset has signed', async (host, label) => {
    const list = async (): Promise<readonly { id: string; url: string; events: string[] }[]> =>
      (await installation.api.get(`/devices/${device}/webhooks`)).body.webhooks;
    const others = (await list()).length;
    const trigger = host.trigger({
      device,
      events: ['message.received', 'chat.settled'],
      options: { settleSeconds: 1 },
    });
    [active, started] = [trigger, []];
    await trigger.activate();
    await trigger.activate();
    assert.equal((await list()).length, others + 1);
    const elsewhere = host.trigger({ device: '', events: ['message.received'], options: { only: bob } });
    await elsewhere.activate();
    const ofAll = (await installation.api.get('/webhooks')).body.webhooks as { chats: unknown }[];
    assert.deepEqual(
      ofAll.map(({ chats }) => chats),
      [{ only: [`${bob}@s.whatsapp.net`] }],
    );
    await elsewhere.deactivate();
    await installation.phones.write(bob, { to: ada, text: `To the workflow of ${label}` });
    // Sooner than the service looks for deliveries that nothing has announced.
    await eventually('the workflow starts', () => started.length > 0, 15_000);
    await eventually('the chat has settled', () => started.some(({ type }) => type === 'chat.settled'), 15_000);
    const [event] = started as { type: string; data: { message: { text: string } } }[];
    assert.deepEqual([event!.type, event!.data.message.text], ['message.received', `To the workflow of ${label}`]);

    const { url } = (await list()).at(-1)!;
    const forged = await fetch(url, { method: 'POST', body: JSON.stringify(event) });
    assert.equal(forged.status, 401);
    assert.equal(started.length, 2);

    const { id } = (await list()).at(-1)!;
    await installation.api.delete(`/devices/${device}/webhooks/${id}`);
    await trigger.activate();
    assert.equal((await list()).length, others + 1, 'one that was deleted at Handset is made again');
    await trigger.deactivate();
    await trigger.deactivate();
    assert.equal((await list()).length, others);
  });
});
