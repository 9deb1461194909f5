/** The application state and the history of a phone, as a stock Baileys socket reads them: the other opinion. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Chat, Contact } from 'baileys';
import { startSandbox } from '../../../sandbox/src/sandbox.ts';
import { eventually } from '../../support/wait.ts';
import { Companion } from '../companion.ts';

/** Keeps what the socket tells of people and chats. */
class Watching extends Companion {
  readonly contacts = new Map<string, Partial<Contact>>();
  readonly chats = new Map<string, Partial<Chat>>();

  override connect(): void {
    super.connect();
    const { ev } = this.socket;
    const keep = (chats: readonly Partial<Chat>[]): void => {
      for (const chat of chats) this.chats.set(chat.id!, { ...this.chats.get(chat.id!), ...chat });
    };
    ev.on('chats.update', keep);
    ev.on('chats.upsert', keep);
    ev.on('contacts.upsert', (contacts) => {
      for (const contact of contacts) this.contacts.set(contact.id, contact);
    });
    ev.on('messaging-history.set', ({ chats, contacts }) => {
      keep(chats);
      for (const contact of contacts) this.contacts.set(contact.id, { ...this.contacts.get(contact.id), ...contact });
    });
  }
}

test('a stock client reads what a phone shares, hears of changes, and changes it for the phone', async () => {
  await using sandbox = await (async () => {
    const started = await startSandbox({ addressing: 'lenient' });
    return Object.assign(started, { [Symbol.asyncDispose]: () => started.close() });
  })();
  const alice = sandbox.phones.create('491510000001', 'Alice');
  const bob = sandbox.phones.create('491510000002', 'Bob').account;
  const carl = sandbox.phones.create('491510000003', 'Carl');
  await carl.giveToken(alice.account);
  alice.rememberChats({ people: [carl.account.number], messages: 3, at: Date.now() - 86_400_000 });
  alice.appState.setContact(bob.jid, 'Bob from work', bob.lid);
  await using companion = new Watching(sandbox);
  await companion.link((qr) => alice.scan(qr));

  await eventually('the contact', () => companion.contacts.get(bob.jid)?.name === 'Bob from work');
  await eventually('the name', () => companion.creds.me?.name === 'Alice');
  const old = await eventually('the old chat', () => companion.chats.get(carl.account.lid));
  assert.deepEqual(Buffer.from(old.tcToken!), Buffer.from(carl.tokens.given.get(alice.account)!.token));

  alice.appState.setContact(bob.jid, 'Robert', bob.lid);
  alice.appState.setMuted(bob.jid, null);
  await alice.shareAppState();
  await eventually('the other name', () => companion.contacts.get(bob.jid)?.name === 'Robert');
  await eventually('the mute', () => companion.chats.get(bob.jid)?.muteEndTime === -1);

  await companion.socket.chatModify({ pin: true }, bob.jid);
  await alice.shareAppState();
  assert.equal(alice.appState.chat(bob.jid).pinned, true);
  assert.equal(alice.appState.chat(bob.jid).mutedUntil, 'always');
});
