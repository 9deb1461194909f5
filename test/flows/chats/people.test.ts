/** Profiles, look-ups, people and changes of chats: on the phone, and for a stock companion of the same account (docs/spec/conversation.md). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { Companion, type Place } from '../../sandbox/companion.ts';
import { shiftedClock } from '../../support/clock.ts';
import { eventually, untilDayLasts } from '../../support/wait.ts';
import { ada, bob, callsOf, type Rig, startRig } from '../say/rig.ts';
import { untilOpen } from '../steps.ts';

const dayMs = 86_400_000;

interface PhoneChat {
  readonly archived: boolean;
  readonly pinned: boolean;
  readonly markedUnread: boolean;
  readonly mutedUntil: string | null;
  readonly expiresInSeconds: number | null;
}

describe('profiles, people and chats', () => {
  let rig: Rig;
  /** Stock Baileys, another companion of Ada's. */
  let stock: Companion;
  const clock = shiftedClock();
  const atStock: Record<string, unknown>[] = [];
  const { call, done, refused } = callsOf(() => rig);
  const phone = <T>(method: string, path: string, body?: unknown) =>
    rig.installation.phones.request<T>(method, `/phones${path}`, body);
  const chatAt = async (number: string, chat: string): Promise<PhoneChat> =>
    (await phone<{ chat: PhoneChat }>('GET', `/${number}/chats/${chat}`)).chat;
  const untilStock = (what: string, holds: (told: Record<string, unknown>) => boolean) =>
    eventually(`stock Baileys tells ${what}`, () => atStock.some(holds));

  before(async () => {
    rig = await startRig({}, undefined, clock);
    stock = new Companion(await rig.installation.phones.request<Place>('GET', '/'));
    const { phones } = rig.installation;
    await stock.link((qr) => phones.scan(ada, qr));
    const { ev } = stock.socket;
    ev.on('chats.update', (chats) => atStock.push(...chats.map((chat) => ({ ...chat }))));
    ev.on('contacts.upsert', (contacts) => atStock.push(...contacts.map((contact) => ({ ...contact }))));
    ev.on('blocklist.update', ({ blocklist, type }) => atStock.push({ blocked: blocklist, type }));
    await rig.fromBob(rig.jids.ada, { text: 'hello' });
    await eventually('the keys at stock Baileys', () => stock.creds.myAppStateKeyId);
  });
  after(async () => {
    await stock[Symbol.asyncDispose]();
    await rig[Symbol.asyncDispose]();
  });

  it('name, text and picture of the account are set, shown to others and taken away', async () => {
    const { profile } = await done('PUT', '/profile', { name: 'Ada L.', about: 'At the sea' });
    assert.partialDeepStrictEqual(profile, { number: ada, name: 'Ada L.', about: 'At the sea', picture: null });
    await eventually('the name', async () => {
      await phone('GET', `/${ada}/contacts`);
      return (await rig.installation.phones.get(ada)).name === 'Ada L.';
    });
    const wide = await sharp({ create: { width: 90, height: 30, channels: 4, background: 'red' } })
      .png()
      .toBuffer();
    const set = await done('PUT', '/profile/picture', { mediaBase64: wide.toString('base64') });
    assert.notEqual(set.profile.picture, null);
    const own = await rig.installation.api.fetch(`/devices/${rig.id}/contacts/${ada}/picture`);
    const { format, width, height } = await sharp(Buffer.from(await own.arrayBuffer())).metadata();
    assert.deepEqual([own.headers.get('content-type'), format, width, height], ['image/jpeg', 'jpeg', 640, 640]);
    const told = await rig.companion.socket.fetchStatus(rig.jids.ada);
    assert.match(JSON.stringify(told), /At the sea/);
    assert.equal((await done('DELETE', '/profile/picture')).profile.picture, null);
    assert.deepEqual(await refused('GET', `/contacts/${ada}/picture`), [404, 'Picture not found']);
    const wrong = await refused('PUT', '/profile/picture', {
      mediaBase64: Buffer.from('no picture').toString('base64'),
    });
    assert.deepEqual(wrong, [400, 'Invalid image format (only PNG, JPEG, GIF, WebP allowed)']);
    assert.equal((await refused('PUT', '/profile', { name: ' ' }))[0], 400);
    assert.equal((await refused('PUT', '/profile', { about: 'x'.repeat(140) }))[0], 400);
  });

  it('a contact has text and picture, unless they are hidden', async () => {
    assert.deepEqual(await refused('GET', `/contacts/${bob}/picture`), [404, 'Picture not found']);
    const picture = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'blue' } })
      .jpeg()
      .toBuffer();
    await phone('PATCH', `/${bob}/profile`, { about: 'Baking', pictureBase64: picture.toString('base64') });
    const { contact } = await done('GET', `/contacts/${bob}`);
    assert.partialDeepStrictEqual(contact, { jid: rig.jids.bob, about: 'Baking' });
    assert.notEqual(contact.picture, null);
    const image = await rig.installation.api.fetch(`/devices/${rig.id}/contacts/${bob}/picture`);
    assert.equal((await sharp(Buffer.from(await image.arrayBuffer())).metadata()).width, 64);
    await phone('PATCH', `/${bob}/profile`, { privacy: { profile: 'none', status: 'none' } });
    assert.deepEqual(await refused('GET', `/contacts/${bob}/picture`), [404, 'Picture not found']);
    clock.ahead(dayMs);
    assert.partialDeepStrictEqual((await done('GET', `/contacts/${bob}`)).contact, { about: null, picture: null });
    assert.deepEqual(await refused('GET', '/contacts/4915550009999'), [404, 'Contact not found']);
    assert.equal((await refused('GET', `/contacts/${rig.group}`))[0], 400);
  });

  it('a person is blocked and named, on the phone and for stock Baileys', async () => {
    const people = () =>
      phone<{ contacts: { jid: string; name: string }[]; blocked: string[] }>('GET', `/${ada}/contacts`);
    const { contact } = await done('PUT', `/contacts/${bob}`, { blocked: true, name: 'Bob Baker' });
    assert.partialDeepStrictEqual(contact, { jid: rig.jids.bob, blocked: true, name: 'Bob Baker' });
    assert.deepEqual((await people()).blocked, [rig.jids.bob]);
    await eventually('the name on the phone', async () =>
      (await people()).contacts.some(({ name }) => name === 'Bob Baker'),
    );
    await untilStock('the name', ({ name }) => name === 'Bob Baker');
    await untilStock('the block', ({ type }) => type === 'add');
    await done('PUT', `/contacts/${bob}`, { blocked: false, name: null });
    assert.deepEqual((await people()).blocked, []);
    assert.equal((await done('GET', `/contacts/${bob}`)).contact.name, null);
    await eventually('the contact is gone', async () =>
      (await people()).contacts.every(({ jid }) => jid !== rig.jids.bob),
    );
    const stranger = await refused('PUT', '/contacts/99999999999999@lid', { blocked: true });
    assert.deepEqual([stranger[0], /has no account on the network/.test(String(stranger[1]))], [400, true]);
    assert.equal((await refused('PUT', '/contacts/4915550009999', { blocked: true }))[0], 400);
    const itself = await refused('PUT', `/contacts/${ada}`, { blocked: true });
    assert.deepEqual(itself, [400, 'person must not be the account itself, which cannot block itself']);
    assert.equal((await refused('GET', '/contacts/nobody@lid'))[0], 400);
    assert.equal((await refused('PUT', `/contacts/${bob}`, { name: '' }))[0], 400);
  });

  it('a chat is archived, pinned, muted, marked and timed, on the phone and for stock Baileys', async () => {
    const mutedUntil = new Date(clock.now() + dayMs).toISOString();
    const body = { archived: true, pinned: true, mutedUntil, unread: true, expiresInSeconds: 86_400 };
    const { chat } = await done('PUT', `/chats/${bob}`, body);
    assert.partialDeepStrictEqual(chat, { archived: true, pinned: true, mutedUntil, expiresInSeconds: 86_400 });
    assert.ok(chat.unread > 0);
    const set = { archived: true, pinned: true, markedUnread: true, mutedUntil };
    await eventually('the chat on the phone', async () => {
      const shown = await chatAt(ada, rig.jids.bob);
      return Object.entries(set).every(([name, value]) => Reflect.get(shown, name) === value);
    });
    assert.equal((await chatAt(bob, rig.jids.ada)).expiresInSeconds, 86_400);
    await untilStock('the archive', ({ archived }) => archived === true);
    await untilStock('the pin', ({ pinned }) => Boolean(pinned));
    await untilStock('the mute', ({ muteEndTime }) => Number(muteEndTime) === Date.parse(mutedUntil));
    const back = { archived: false, pinned: false, mutedUntil: null, unread: false, expiresInSeconds: null };
    const { chat: plain } = await done('PUT', `/chats/${rig.jids.bob}`, back);
    assert.partialDeepStrictEqual(plain, { ...back, unread: 0 });
    await eventually('the chat as it was', async () => {
      const { archived, pinned, markedUnread, mutedUntil: muted } = await chatAt(ada, rig.jids.bob);
      return !archived && !pinned && !markedUnread && muted === null;
    });
    assert.equal((await done('PUT', `/chats/${bob}`, { mutedUntil: 'always' })).chat.mutedUntil, 'always');
    assert.deepEqual((await done('PUT', `/chats/${bob}`, {})).chat.mutedUntil, 'always');
    const past = [400, 'mutedUntil must be in the future; null ends a mute'];
    assert.deepEqual(await refused('PUT', `/chats/${bob}`, { mutedUntil: '2020-01-01T00:00:00Z' }), past);
    assert.equal((await refused('PUT', `/chats/${bob}`, { mutedUntil: 'tomorrow' }))[0], 400);
    assert.equal((await refused('PUT', `/chats/${bob}`, { expiresInSeconds: 5 }))[0], 400);
    assert.deepEqual(await refused('PUT', '/chats/4915550009999', { archived: true }), [404, 'Chat not found']);
  });

  it('numbers are looked up, twenty at once and two hundred new ones a day, also over a restart', async () => {
    await untilDayLasts(clock);
    const path = (numbers: readonly string[]) => `/contacts/lookup?numbers=${numbers.join(',')}`;
    const { contacts } = await done('GET', path([bob, '4915550007777']));
    assert.partialDeepStrictEqual(contacts, [
      { number: bob, exists: true, jid: rig.jids.bob },
      { number: '4915550007777', exists: false, jid: null, lid: null },
    ]);
    const many = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => String(4_915_600_000_000 + from + index));
    for (const wrong of [path(many(0, 21)), '/contacts/lookup?numbers='])
      assert.deepEqual(await refused('GET', wrong), [
        400,
        'numbers must be 1 to 20 phone numbers, separated by commas, each 8 to 15 digits with the country code, without +, spaces or signs: 4915550002222',
      ]);
    assert.deepEqual(await refused('POST', '/contacts/lookup', {}), [
      400,
      'usernames is required: 1 to 20 usernames, each name, @name or name:1234',
    ]);
    assert.equal((await refused('GET', path(['12'])))[0], 400);
    assert.equal((await refused('GET', '/contacts/lookup'))[0], 400);
    for (let from = 0; from < 180; from += 20) await done('GET', path(many(from, 20)));
    await rig.installation.restart();
    await untilOpen(rig.installation, rig.id);
    const over = await call('GET', path(many(1_000, 20)));
    assert.equal(over.status, 429);
    assert.match(over.body.status.message, /At most 200 new numbers/);
    const wait = Number(over.headers.get('retry-after'));
    assert.ok(wait > 0 && wait <= 86_400, `Retry-After: ${wait}`);
    // Known answers cost nothing.
    assert.equal((await done('GET', path([bob]))).contacts[0].exists, true);
    clock.ahead(dayMs);
    await done('GET', path(many(1_000, 20)));
  });
});
