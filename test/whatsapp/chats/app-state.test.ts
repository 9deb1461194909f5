/** The application state as the driver keeps it: from the phone's keys to rows in the store. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf } from '../../../src/whatsapp/identity/account.ts';
import { parseCredentials, serializeCredentials } from '../../../src/whatsapp/signal/credentials.ts';
import { encodeKey } from '../../../src/whatsapp/signal/key-store.ts';
import { eventually } from '../../support/wait.ts';
import { type Rig, startRig } from '../driver.support.ts';

const owner = '491510000001';
const ann = '491510000002';
const jidOf = (number: string): string => `${number}@s.whatsapp.net`;

const contactsOf = async ({ stores }: Rig, deviceId: number) =>
  Object.fromEntries((await stores.appState.list(deviceId, 'contact')).map(({ jid, value }) => [jid, value.name]));

const credsOf = async ({ stores }: Rig, deviceId: number) => {
  const bytes = await stores.credentials.loadCredentials(deviceId);
  return parseCredentials(bytes!);
};

const isKept = async (rig: Rig, deviceId: number) => factsOf(await credsOf(rig, deviceId)).appStateKept === true;

test('names, archive, pin and mute come with the link, and change as the phone changes them', async () => {
  await using rig = await startRig();
  const { phones, stores } = rig;
  await phones.add(ann, 'Ann');
  await phones.add(owner, 'Olga');
  await phones.request('PUT', `/phones/${owner}/contacts/${ann}`, { name: 'Ann from work' });
  await phones.request('PATCH', `/phones/${owner}/chats/${ann}`, { pinned: true, mutedUntil: 'always' });
  const deviceId = await rig.device();
  const watched = rig.connect(deviceId);
  const offer = await eventually('a QR', () => watched.offers[0]);
  await phones.scan(owner, offer.qrText);
  await watched.opened();

  await eventually('all of it', () => isKept(rig, deviceId));
  assert.deepEqual(await contactsOf(rig, deviceId), { [jidOf(ann)]: 'Ann from work' });
  const [pin] = await stores.appState.list(deviceId, 'pin');
  assert.ok(pin?.jid === jidOf(ann) && pin.value.at > Date.now() - 600_000);
  assert.deepEqual(await stores.appState.list(deviceId, 'mute'), [
    { kind: 'mute', jid: jidOf(ann), value: { until: null } },
  ]);
  assert.equal(watched.account()?.name, 'Olga');
  assert.equal((await stores.devices.find(deviceId))?.account?.name, 'Olga');

  const until = new Date(Date.now() + 3_600_000).toISOString();
  await phones.request('PATCH', `/phones/${owner}/chats/${ann}`, { archived: true, pinned: false, mutedUntil: until });
  await phones.request('PUT', `/phones/${owner}/contacts/${ann}`, { name: null });
  await phones.behave(owner, { name: 'Olga Anders' });
  await eventually('the archive', async () => (await stores.appState.list(deviceId, 'archive')).length === 1);
  await eventually('that the pin is gone', async () => (await stores.appState.list(deviceId, 'pin')).length === 0);
  await eventually('that the contact is gone', async () => Object.keys(await contactsOf(rig, deviceId)).length === 0);
  const [mute] = await stores.appState.list(deviceId, 'mute');
  assert.equal(mute?.value.until, Date.parse(until));
  await eventually('the new name', () => watched.account()?.name === 'Olga Anders');
});

test('what the network refuses to tell comes with the next connection', async () => {
  await using rig = await startRig();
  const { phones, stores } = rig;
  await phones.add(ann, 'Ann');
  const { watched, deviceId } = await rig.linked(owner, 'Olga');
  await eventually('all of it', () => isKept(rig, deviceId));
  await phones.faults({ refuseAppState: 500 });
  await phones.request('PATCH', `/phones/${owner}/chats/${ann}`, { archived: true });
  await eventually('the refusal', async () => factsOf(await credsOf(rig, deviceId)).appStateBehind === true);
  await phones.faults({});
  await phones.request('PUT', `/phones/${owner}/contacts/${ann}`, { name: 'Ann' });
  await eventually('another collection', async () => (await contactsOf(rig, deviceId))[jidOf(ann)] === 'Ann');
  await watched.session.close();
  await rig.connect(deviceId).opened();
  await eventually('the archive', async () => (await stores.appState.list(deviceId, 'archive')).length === 1);
  await eventually(
    'that no more is missing',
    async () => factsOf(await credsOf(rig, deviceId)).appStateBehind !== true,
  );
});

test('what changes while a device is away comes with its next connection, the NCT salt too', async () => {
  await using rig = await startRig();
  const { phones } = rig;
  await phones.add(ann, 'Ann');
  const { deviceId, watched } = await rig.linked(owner, 'Olga');
  await eventually('all of it', () => isKept(rig, deviceId));
  assert.equal(factsOf(await credsOf(rig, deviceId)).nctSalt?.length, 32);
  await watched.session.close();
  await phones.request('PUT', `/phones/${owner}/contacts/${ann}`, { name: 'Ann' });
  await rig.connect(deviceId).opened();
  await eventually('the contact', async () => (await contactsOf(rig, deviceId))[jidOf(ann)] === 'Ann');
});

test('a key that is missing is asked of the phone, and what waited for it is read then', async () => {
  await using rig = await startRig();
  const { phones, stores } = rig;
  await phones.add(ann, 'Ann');
  const { deviceId } = await rig.linked(owner, 'Olga');
  await eventually('all of it', () => isKept(rig, deviceId));
  const keys = (await stores.credentials.listKeys(deviceId)).filter(({ type }) => type === 'app-state-sync-key');
  assert.equal(keys.length, 1);
  await stores.changes.commit(deviceId, { keys: keys.map(({ type, id }) => ({ type, id, value: null })) });
  await phones.request('PUT', `/phones/${owner}/contacts/${ann}`, { name: 'Ann' });
  await eventually('the contact', async () => (await contactsOf(rig, deviceId))[jidOf(ann)] === 'Ann');
});

test('many changes come as a snapshot from the media host; a device of an earlier release reads all of it', async () => {
  await using rig = await startRig();
  const { phones, stores } = rig;
  await phones.add(owner, 'Olga');
  const numbers = Array.from({ length: 60 }, (_, n) => String(491_520_000_000 + n));
  const deviceId = await rig.device();
  const watched = rig.connect(deviceId);
  const offer = await eventually('a QR', () => watched.offers[0]);
  await phones.scan(owner, offer.qrText);
  await watched.opened();
  await eventually('all of it', () => isKept(rig, deviceId));
  for (const number of numbers) {
    await phones.add(number, number);
    await phones.request('PUT', `/phones/${owner}/contacts/${number}`, { name: `Person ${number}` });
  }
  await eventually('every contact', async () => Object.keys(await contactsOf(rig, deviceId)).length === 60);
  await watched.session.close();
  // As an earlier release has left it: with versions, and nothing else.
  const creds = await credsOf(rig, deviceId);
  await stores.changes.commit(deviceId, {
    credentials: serializeCredentials({ ...creds, additionalData: {} }),
    appStateReset: ['contact'],
  });
  await rig.connect(deviceId).opened();
  await eventually('every contact again', async () => Object.keys(await contactsOf(rig, deviceId)).length === 60);
});

test('others see the name that the phone has shared, on each connection, and "-" before', async () => {
  await using rig = await startRig();
  const { phones, sandbox } = rig;
  await phones.add(ann, 'Ann');
  // Its application state says nothing of a name.
  sandbox.phones.create(owner, '');
  const deviceId = await rig.device();
  const watched = rig.connect(deviceId);
  const offer = await eventually('a QR', () => watched.offers[0]);
  await phones.scan(owner, offer.qrText);
  await watched.opened();
  await eventually('all of it', () => isKept(rig, deviceId));
  const seenAs = async (on: typeof watched, text: string) => {
    await rig.send(on, ann, { kind: 'text', text });
    const all = await eventually('it', async () => {
      const { messages } = await phones.request<{ messages: { text: string; pushName: string | null }[] }>(
        'GET',
        `/phones/${ann}/messages`,
      );
      return messages.find((message) => message.text === text);
    });
    return all.pushName;
  };
  assert.equal(await seenAs(watched, 'from nobody'), '-');
  await phones.behave(owner, { name: 'Olga' });
  await eventually('the name at others', async () => (await seenAs(watched, `from ${Date.now()}`)) === 'Olga');
  await watched.session.close();
  const again = rig.connect(deviceId);
  await again.opened();
  assert.equal(await seenAs(again, 'on another connection'), 'Olga');
});

test('a patch that is too long for a stanza is read from the media host', async () => {
  await using rig = await startRig();
  const { deviceId } = await rig.linked(owner, 'Olga');
  await eventually('all of it', () => isKept(rig, deviceId));
  const phone = rig.sandbox.phones.find(owner)!;
  // At 100 bytes and more each, more than the 65,536 bytes that go into a stanza.
  const count = 700;
  for (let n = 0; n < count; n += 1) {
    phone.appState.setContact(jidOf(String(491_530_000_000 + n)), `${n} ${'x'.repeat(100)}`, `${88_000_000 + n}@lid`);
  }
  await phone.shareAppState();
  const contacts = await eventually('every contact', async () => {
    const found = await contactsOf(rig, deviceId);
    return Object.keys(found).length === count && found;
  });
  assert.equal(contacts[jidOf('491530000699')], `699 ${'x'.repeat(100)}`);
  phone.appState.setContact(jidOf('491530000699'), 'Short', '88000699@lid');
  await phone.shareAppState();
  await eventually('what comes after it', async () => {
    return (await contactsOf(rig, deviceId))[jidOf('491530000699')] === 'Short';
  });
});

test('a large collection is written in parts, between which others have their turns', async () => {
  await using rig = await startRig();
  const { phones, stores } = rig;
  await phones.add(owner, 'Olga');
  const numbers = Array.from({ length: 240 }, (_, n) => String(491_520_000_000 + n));
  for (const number of numbers) {
    await phones.add(number, number);
    await phones.request('PUT', `/phones/${owner}/contacts/${number}`, { name: `Person ${number}` });
  }
  const sizes: number[] = [];
  const { commit } = stores.changes;
  const counted: typeof commit = (id, changes, epoch) => {
    sizes.push(changes.appState?.length ?? 0);
    return commit(id, changes, epoch);
  };
  Object.assign(stores.changes, { commit: counted });
  const deviceId = await rig.device();
  const watched = rig.connect(deviceId);
  const offer = await eventually('a QR', () => watched.offers[0]);
  await phones.scan(owner, offer.qrText);
  await watched.opened();
  await eventually('all of it', () => isKept(rig, deviceId));
  assert.equal(Object.keys(await contactsOf(rig, deviceId)).length, numbers.length);
  assert.ok(Math.max(...sizes) <= 100 && sizes.reduce((a, b) => a + b) >= numbers.length, sizes.join(', '));
});

test('one change of a large collection writes little of it, from the phone and from here', async () => {
  await using rig = await startRig();
  const { deviceId, watched } = await rig.linked(owner, 'Olga');
  await eventually('all of it', () => isKept(rig, deviceId));
  const phone = rig.sandbox.phones.find(owner)!;
  const count = 2_000;
  for (let n = 0; n < count; n += 1) phone.appState.setContact(jidOf(String(491_530_000_000 + n)), `${n}`, `${n}@lid`);
  await phone.shareAppState();
  await eventually('every contact', async () => Object.keys(await contactsOf(rig, deviceId)).length === count);
  let written = 0;
  const { commit } = rig.credentials;
  const counted: typeof commit = (id, changes, epoch) => {
    for (const { value } of changes.keys ?? []) written += value?.length ?? 0;
    return commit(id, changes, epoch);
  };
  Object.assign(rig.credentials, { commit: counted });
  phone.appState.setContact(jidOf('491530000007'), 'Seven', '7@lid');
  await phone.shareAppState();
  await eventually('the change', async () => (await contactsOf(rig, deviceId))[jidOf('491530000007')] === 'Seven');
  const contact = { kind: 'contact', jid: jidOf('491530000008'), lid: '8@lid', name: 'Eight' } as const;
  await watched.session.writeAppState([contact]);
  assert.equal((await contactsOf(rig, deviceId))[contact.jid], 'Eight');
  assert.ok(written > 0 && written < 20_000, `${written} bytes of ${count} entries`);
});

test('the state of 0.3.0, in one row, is taken over: a change on the phone is an event', async () => {
  await using rig = await startRig();
  const { phones, stores } = rig;
  for (const number of [ann, '491510000003']) await phones.add(number, number);
  const { deviceId } = await rig.linked(owner, 'Olga');
  await eventually('all of it', () => isKept(rig, deviceId));
  for (const number of [ann, '491510000003'])
    await phones.request('PUT', `/phones/${owner}/contacts/${number}`, { name: 'Somebody' });
  await eventually('both', async () => Object.keys(await contactsOf(rig, deviceId)).length === 2);
  const name = 'critical_unblock_low';
  const stored = (await stores.credentials.listKeys(deviceId)).filter(({ id }) => id.split('/')[0] === name);
  const head = Buffer.from(stored.find(({ id }) => id === name)!.value);
  const indexValueMap: Record<string, { valueMac: Uint8Array }> = {};
  for (const { value } of stored.filter(({ id }) => id !== name))
    for (let at = 0; at < value.length; at += 64)
      indexValueMap[Buffer.from(value.subarray(at, at + 32)).toString('base64')] = {
        valueMac: Buffer.from(value.subarray(at + 32, at + 64)),
      };
  assert.equal(Object.keys(indexValueMap).length, 2);
  const type = 'app-state-sync-version';
  const state = { version: head.readUIntBE(0, 6), hash: head.subarray(12), indexValueMap };
  await stores.changes.commit(deviceId, {
    keys: [
      ...stored.map((key) => ({ type: key.type, id: key.id, value: null })),
      { type, id: name, value: encodeKey(type, state) },
    ],
  });
  await phones.request('PUT', `/phones/${owner}/contacts/${ann}`, { name: 'Ann' });
  await eventually('the event', async () => {
    const contacts = (await rig.events(deviceId)).filter(({ event }) => event.type.startsWith('contact'));
    return contacts.some(({ event }) => JSON.stringify(event.data).includes('"Ann"'));
  });
  const now = (await stores.credentials.listKeys(deviceId)).filter(({ id }) => id.split('/')[0] === name);
  assert.deepEqual(
    now.map((key) => [key.type, key.id]),
    stored.map((key) => [key.type, key.id]),
  );
});
