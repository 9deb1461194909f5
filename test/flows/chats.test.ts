/** The chats and contacts of an account, through the HTTP interface: from history, messages, read marks and application state. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openShell } from '../cli/terminal.support.ts';
import { type Installation, ownerKey, startInstallation } from '../support/installation.ts';
import type { SandboxPhone } from '../support/phones.ts';
import { type Received, startReceiver, verify } from '../support/receiver.ts';
import { eventually } from '../support/wait.ts';
import { ada, bob, linkDevice } from './steps.ts';

const cyd = '4915550003333';

describe('chats', () => {
  let installation: Installation;
  let id: number;
  let bobsPhone: SandboxPhone;
  let cydsPhone: SandboxPhone;
  const get = (path: string) => installation.api.get(`/devices/${id}${path}`);
  const chats = async (query = '') => (await get(`/chats${query}`)).body.chats as Record<string, unknown>[];
  const untilChat = (name: string, wanted: Readonly<Record<string, unknown>>) =>
    eventually(`the chat ${name} with ${JSON.stringify(wanted)}`, async () => {
      const { chat } = (await get(`/chats/${name}`)).body;
      return chat !== undefined && Object.entries(wanted).every(([key, value]) => chat[key] === value) && chat;
    });
  const write = async (from: string, text: string): Promise<string> =>
    (await installation.phones.write(from, { to: ada, text }))[0]!;

  before(async () => {
    installation = await startInstallation();
    await installation.phones.add(ada, 'Ada');
    bobsPhone = await installation.phones.add(bob, 'Bob');
    cydsPhone = await installation.phones.add(cyd, 'Cyd');
    await write(cyd, 'before the link');
    id = await linkDevice(installation);
  });
  after(() => installation[Symbol.asyncDispose]());

  it('are known from the history, with what is unread', async () => {
    const chat = await untilChat(cyd, { unread: 1, name: 'Cyd' });
    assert.deepEqual(
      [chat.chat, chat.chatNumber, chat.chatLid, chat.isGroup, chat.lastMessage],
      [cydsPhone.jid, cyd, cydsPhone.lid, false, null],
    );
  });

  it('are one for number, JID and LID, and move up with each message', async () => {
    const first = await write(bob, 'Hello');
    const second = await write(bob, 'Anybody there?');
    const chat = await untilChat(bob, { unread: 2, name: 'Bob' });
    assert.deepEqual([chat.lastMessage.id, chat.lastMessage.text], [second, 'Anybody there?']);
    for (const name of [bobsPhone.jid, bobsPhone.lid])
      assert.equal((await get(`/chats/${encodeURIComponent(name)}`)).body.chat.chat, bobsPhone.jid);
    assert.deepEqual(
      (await chats()).map(({ chatNumber }) => chatNumber),
      [bob, cyd],
    );
    await installation.phones.request('POST', `/phones/${ada}/messages/${first}/read`);
    await untilChat(bob, { unread: 1 });
    await installation.phones.request('POST', `/phones/${ada}/messages/${second}/read`);
    await untilChat(bob, { unread: 0 });
    assert.deepEqual(
      (await chats('?unread=true')).map(({ chatNumber }) => chatNumber),
      [cyd],
    );
    assert.deepEqual(
      (await chats('?unread=false')).map(({ chatNumber }) => chatNumber),
      [bob],
    );
    const sent = await installation.api.post(`/devices/${id}/messages/text`, { toNumber: cyd, message: 'Hi' });
    assert.equal(sent.status, 200);
    assert.deepEqual(
      (await chats()).map(({ chatNumber, unread }) => [chatNumber, unread]),
      [
        [cyd, 1],
        [bob, 0],
      ],
    );
    await installation.phones.write(ada, { to: cyd, text: 'from the phone' });
    await untilChat(cyd, { unread: 0 });
  });

  it('are archived, pinned, muted and named as on the phone, and each change is posted once', async () => {
    await using receiver = await startReceiver();
    const wish = { url: receiver.url, events: ['chat.updated', 'contact.updated'] };
    const { secret } = (await installation.api.post('/webhooks', wish)).body;
    const settings = { archived: true, pinned: true, mutedUntil: 'always' };
    await installation.phones.request('PATCH', `/phones/${ada}/chats/${bobsPhone.jid}`, settings);
    await untilChat(bob, settings);
    assert.deepEqual(
      (await chats('?archived=true')).map(({ chatNumber }) => chatNumber),
      [bob],
    );
    assert.deepEqual(
      (await chats('?archived=false')).map(({ chatNumber }) => chatNumber),
      [cyd],
    );
    const undone = { archived: false, pinned: false, mutedUntil: null };
    await installation.phones.request('PATCH', `/phones/${ada}/chats/${bobsPhone.jid}`, undone);
    await untilChat(bob, undone);
    await installation.phones.request('PUT', `/phones/${ada}/contacts/${bob}`, { name: 'Bob Böhm' });
    await untilChat(bob, { name: 'Bob Böhm' });
    const named = ({ event }: Received) => event.type === 'contact.updated';
    await receiver.until(1, named);
    for (const post of receiver.received) verify(secret, post);
    const told = receiver.received.map(({ event }) => event.data as { change: Record<string, unknown> });
    assert.deepEqual(told.at(-1), {
      jid: bobsPhone.jid,
      number: bob,
      lid: bobsPhone.lid,
      change: { name: 'Bob Böhm' },
    });
    // The phone may write several settings in several steps.
    const changes = told.slice(0, -1).flatMap(({ change }) => Object.entries(change));
    for (const name of ['archived', 'pinned', 'mutedUntil'] as const) {
      const values = changes.filter(([member]) => member === name).map(([, value]) => value);
      assert.deepEqual(values, [settings[name], undone[name]]);
    }
    const { events } = (await get('/events?types=chat.updated,contact.updated')).body;
    assert.deepEqual(
      events.slice(0, -told.length).map(({ data }: { data: { change: unknown } }) => data.change),
      [{ unread: 1 }, { unread: 0 }],
      'of the history none is told, beside what was read on the phone',
    );
    assert.deepEqual(
      (await chats('?q=bohm')).map(({ chatNumber }) => chatNumber),
      [bob],
    );
    const { contact } = (await get(`/contacts/${bob}`)).body;
    assert.deepEqual(contact, {
      jid: bobsPhone.jid,
      number: bob,
      lid: bobsPhone.lid,
      username: null,
      name: 'Bob Böhm',
      pushName: 'Bob',
      businessName: null,
      about: null,
      blocked: false,
      picture: null,
    });
    const { contacts } = (await get('/contacts?q=cyd')).body;
    assert.deepEqual(
      contacts.map(({ number }: { number: string }) => number),
      [cyd],
    );
  });

  it('show the timer under which their messages disappear', async () => {
    await installation.phones.request('PATCH', `/phones/${bob}/chats/${ada}`, { expiresInSeconds: 86_400 });
    await untilChat(bob, { expiresInSeconds: 86_400 });
  });

  it('are read, and messages searched, from the command line', async () => {
    await using shell = await openShell({ HANDSET_URL: installation.handset.url, HANDSET_KEY: ownerKey });
    const printed = async (...words: string[]) => (await shell.handset(words)).stdout;
    const found = await printed('message', 'list', String(id), '--q', 'ANYBODY', '--from', bob);
    assert.match(found, /^\S+Z {2}\S+ {2}4915550002222: Anybody there\?\n$/);
    assert.match(await printed('chat', 'list', String(id)), /^CHAT +UNREAD +MARKS +NAME +LAST MESSAGE\n/);
    assert.match(await printed('chat', 'show', String(id), bob), /Name: +Bob Böhm\nUnread: +0\n/);
    assert.match(await printed('contact', 'list', String(id), '--q', 'bob'), /\n4915550002222 +Bob Böhm +Bob\n$/);
    assert.match(await printed('contact', 'show', String(id), bob), /Own name: +Bob\n/);
    assert.match((await shell.handset(['chat', 'list', String(id), '--limit', '1'])).stderr, /^More: --cursor \S+\n$/);
    assert.equal(
      (await shell.handset(['chat', 'show', String(id), '4915559999999'])).stderr,
      'handset: Chat not found\n',
    );
  });

  it('that are not there, or another device’s, are a 404 in words; bad names and filters a 400', async () => {
    const other = (await installation.api.post('/devices', {})).body.device.id as number;
    for (const [path, message] of [
      [`/devices/${other}/chats/${bob}`, 'Chat not found'],
      [`/devices/${id}/chats/4915559999999`, 'Chat not found'],
      [`/devices/${id}/chats/98765432101234@lid`, 'Chat not found'],
      [`/devices/${id}/contacts/4915559999999`, 'Contact not found'],
    ] as const) {
      const { status, body } = await installation.api.get(path);
      assert.deepEqual([status, body.status.message], [404, message]);
    }
    for (const [path, words] of [
      ['/chats/nobody', /chat must be the digits of a phone number, or a JID/],
      ['/contacts/120363000000000001@g.us', /person must be/],
      ['/chats?unread=1', /unread must be true or false/],
      ['/chats?cursor=x', /cursor must be a nextCursor of this list/],
    ] as const) {
      const { status, body } = await get(path);
      assert.equal(status, 400);
      assert.match(body.status.message, words);
    }
  });
});
