/** Data that a phone shares after a pairing: a small history, names, and the application state. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Chat, Contact, WAMessage } from 'baileys';
import { Companion, type Place } from '../../sandbox/companion.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { eventually } from '../../support/wait.ts';
import { ada, addPhones, bob, eventsOf, linkDevice, untilEvent } from '../steps.ts';

interface Handed {
  readonly chats: Chat[];
  readonly messages: WAMessage[];
  readonly contacts: Contact[];
}

describe('after pairing', () => {
  let installation: Installation;
  let client: Companion;
  let other: Companion;
  const handed: Handed = { chats: [], messages: [], contacts: [] };
  const archived = new Set<string>();
  before(async () => {
    installation = await startInstallation();
    await addPhones(installation);
    const place = await installation.phones.request<Place>('GET', '');
    [client, other] = [new Companion(place), new Companion(place)];
    await installation.phones.write(bob, { to: ada, text: 'before the pairing {n}', count: 3 });
    await installation.phones.write(ada, { to: bob, text: 'and my answer' });
    await eventually('the answer', async () => (await installation.phones.messages(bob)).length === 4);
  });
  after(async () => {
    await Promise.all([client.end(), other.end()]);
    await installation[Symbol.asyncDispose]();
  });

  it('history sync: a new companion gets the newest messages, who is who, and the names', async () => {
    client.onConnect = ({ ev }) =>
      ev.on('messaging-history.set', ({ chats, messages, contacts }) => {
        handed.chats.push(...chats);
        handed.messages.push(...messages);
        handed.contacts.push(...contacts);
      });
    await client.link((qr) => installation.phones.scan(ada, qr));
    await eventually(
      'the history',
      () => handed.messages.length >= 4 && handed.contacts.some(({ notify }) => notify === 'Bob'),
    );
    const texts = handed.messages.map(({ message }) => message?.conversation);
    assert.deepEqual(texts, ['and my answer', ...[3, 2, 1].map((n) => `before the pairing ${n}`)]);
    const { lid, jid } = await installation.phones.get(bob);
    assert.equal(handed.chats.find(({ id }) => id === jid)?.unreadCount, 3);
    assert.equal(await client.socket.signalRepository.lidMapping.getLIDForPN(jid), lid);
  });

  it('history sync: the service makes no events of what was said before it was linked', async () => {
    const id = await linkDevice(installation);
    await installation.phones.write(bob, { to: ada, text: 'after the pairing' });
    await untilEvent(installation, id, 'message.received');
    const events = await eventsOf(installation, id);
    assert.deepEqual(
      events.filter(({ type }) => type.startsWith('message.')).map(({ type }) => type),
      ['message.received'],
    );
  });

  it('app state: what one companion archives, another one hears of', async () => {
    await other.link((qr) => installation.phones.scan(ada, qr));
    other.socket.ev.on('chats.update', (chats) => {
      for (const { id, archived: is } of chats) if (is && id) archived.add(id);
    });
    const { jid } = await installation.phones.get(bob);
    const last = handed.messages[0]!;
    await client.socket.chatModify({ archive: true, lastMessages: [last] }, jid);
    await eventually('the archived chat at the other companion', () => archived.has(jid));
  });
});
