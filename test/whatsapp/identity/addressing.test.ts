/** Which addresses a message goes to, and which devices. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type BinaryNode, proto } from 'baileys';
import { setFacts } from '../../../src/whatsapp/identity/account.ts';
import { NoSuchAccount } from '../../../src/whatsapp/identity/addressing.ts';
import type { USyncQuery } from '../../../src/whatsapp/library/protocol.ts';
import { askDevices } from '../../../src/whatsapp/socket/account-queries.ts';
import type { Stanzas } from '../../../src/whatsapp/socket/socket.ts';
import { ann, bob, messageTo, startOutbox, type Told } from '../send/outbox-support.ts';

const annsLid = '200002@lid';
const migrated: Told = { lids: { [ann]: annsLid }, devices: (jid) => (jid.endsWith('@lid') ? [0, 3] : []) };
const unpadded = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, bytes.length - bytes.at(-1)!);

describe('the addresses of a message', () => {
  it('of the others are used where the network answers one account with an error', async () => {
    const node = (tag: string, attrs: BinaryNode['attrs'], content: BinaryNode[] = []) => ({ tag, attrs, content });
    const devices = node('device-list', {}, [
      node('device', { id: '0' }),
      node('device', { id: '3', 'key-index': '1' }),
    ]);
    const refused = node('error', { code: '500', text: 'internal-server-error' });
    const users = [
      node('user', { jid: annsLid }, [node('devices', {}, [devices])]),
      node('user', { jid: '200009@lid' }, [node('devices', {}, [refused])]),
    ];
    const answer = node('iq', { type: 'result' }, [node('usync', {}, [node('list', {}, users)])]);
    const sock = { usync: (query: USyncQuery) => Promise.resolve(query.parseUSyncQueryResult(answer) ?? null) };
    const lists = await askDevices(sock, [annsLid, '200009@lid']);
    assert.deepEqual(lists.get(annsLid), [
      { id: 0, isHosted: false },
      { id: 3, isHosted: false },
    ]);
    assert.deepEqual(lists.get('200009@lid'), []);
  });

  it('are LIDs alone where the person has one: recipient, participants, own devices, their copy and the token', async () => {
    const { outbox, asked, stanzas, encryptedFor, plaintexts, given } = startOutbox(migrated);
    await outbox.post(Promise.resolve(messageTo(ann, 'A')));
    assert.deepEqual(asked, [`lid ${ann}`, `devices 100001@lid ${annsLid}`]);
    assert.deepEqual(encryptedFor, [['100001@lid', annsLid, '200002:3@lid']]);
    const { to, peer_recipient_pn: peer } = stanzas[0]!.attrs;
    assert.deepEqual([to, peer], [annsLid, ann]);
    const { deviceSentMessage } = proto.Message.decode(unpadded(plaintexts.get('100001@lid')!));
    assert.equal(deviceSentMessage?.destinationJid, annsLid);
    assert.deepEqual(given, [annsLid]);
  });

  it('are not asked for again with the next message', async () => {
    const { outbox, asked } = startOutbox(migrated);
    await outbox.post(Promise.resolve(messageTo(ann, 'A')));
    asked.length = 0;
    await outbox.post(Promise.resolve(messageTo(ann, 'B')));
    assert.deepEqual(asked, []);
  });

  it('are phone numbers alone where the account has not migrated, or the LID was refused', async () => {
    for (const byPhone of [false, true]) {
      const { outbox, stanzas, encryptedFor, creds } = startOutbox({ ...migrated, devices: () => [0] });
      if (!byPhone) setFacts(creds, { lidMigrated: false });
      await outbox.post(Promise.resolve({ ...messageTo(ann, 'A'), byPhone }));
      assert.deepEqual(encryptedFor, [['4915550000001@s.whatsapp.net', ann]]);
      const { to, peer_recipient_pn: peer } = stanzas[0]!.attrs;
      assert.deepEqual([to, peer], [ann, undefined]);
    }
  });

  it('are phone numbers where nobody has told a LID, which was asked for', async () => {
    const { outbox, asked, stanzas } = startOutbox();
    await outbox.post(Promise.resolve(messageTo(ann, 'A')));
    assert.deepEqual(asked, [`lid ${ann}`, `devices 4915550000001@s.whatsapp.net ${ann}`]);
    assert.equal(stanzas[0]!.attrs.to, ann);
  });

  it('are the LID after all where the network names no device by number', async () => {
    const { outbox, stanzas, creds } = startOutbox(migrated);
    setFacts(creds, { lidMigrated: false });
    await outbox.post(Promise.resolve(messageTo(ann, 'A')));
    assert.equal(stanzas[0]!.attrs.to, annsLid);
  });

  it('of nobody, and of somebody without a device, fail: it never goes to the own devices alone', async () => {
    const { outbox, asked, happened } = startOutbox({
      lids: { [ann]: annsLid },
      devices: (jid) => (jid === '100001@lid' ? [0, 3] : []),
    });
    await assert.rejects(outbox.post(Promise.resolve(messageTo(bob, 'A'))), NoSuchAccount);
    await assert.rejects(outbox.post(Promise.resolve(messageTo('200009@lid', 'A'))), NoSuchAccount);
    asked.length = 0;
    await assert.rejects(outbox.post(Promise.resolve(messageTo(ann, 'B'))), /no device of the recipient/);
    assert.deepEqual(
      asked,
      [`lid ${ann}`, `devices ${annsLid}`, `lid ${ann}`, `devices ${annsLid}`],
      'asked anew, once',
    );
    assert.deepEqual(happened, []);
  });

  it('fail by number where the LID was refused and there is no device by number', async () => {
    const { outbox, happened } = startOutbox(migrated);
    await assert.rejects(
      outbox.post(Promise.resolve({ ...messageTo(ann, 'A'), byPhone: true })),
      /no device by phone number/,
    );
    assert.deepEqual(happened, []);
  });

  it('fail where the network does not say which LID a number has', async () => {
    const { outbox, sock, happened } = startOutbox(migrated);
    sock.usync = async () => null as never;
    await assert.rejects(outbox.post(Promise.resolve(messageTo(ann, 'A'))), /did not answer which LID/);
    assert.deepEqual(happened, []);
  });
});

describe('the lists of devices', () => {
  const notify = (sock: { stanzas: Stanzas }, change: BinaryNode): void =>
    sock.stanzas.dispatch({
      tag: 'notification',
      attrs: { from: ann, type: 'devices' },
      content: [change],
    });

  it('are asked for again by either address after one notification with both', async () => {
    for (const lidMigrated of [true, false]) {
      const { outbox, asked, sock, creds } = startOutbox({ ...migrated, devices: () => [0, 3] });
      setFacts(creds, { lidMigrated });
      await outbox.post(Promise.resolve(messageTo(ann, 'A')));
      asked.length = 0;
      const device = { tag: 'device', attrs: { jid: ann.replace('@', ':4@'), lid: '200002:4@lid' } };
      notify(sock, { tag: 'add', attrs: {}, content: [device] });
      await outbox.post(Promise.resolve(messageTo(ann, 'B')));
      assert.deepEqual(asked, [`devices ${lidMigrated ? annsLid : ann}`]);
    }
  });

  it('are an hour old at most', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const { outbox, asked } = startOutbox(migrated);
    await outbox.post(Promise.resolve(messageTo(ann, 'A')));
    asked.length = 0;
    t.mock.timers.tick(3_599_000);
    await outbox.post(Promise.resolve(messageTo(ann, 'B')));
    assert.deepEqual(asked, []);
    t.mock.timers.tick(1_001);
    await outbox.post(Promise.resolve(messageTo(ann, 'C')));
    assert.deepEqual(asked, [`devices 100001@lid ${annsLid}`]);
  });

  it('that were dropped while the network answered are not kept', async () => {
    const { outbox, asked, sock, lists } = startOutbox(migrated);
    const answer = sock.usync;
    sock.usync = async (query) => {
      const answered = await answer(query);
      lists.forget([annsLid]);
      return answered;
    };
    await outbox.post(Promise.resolve(messageTo(ann, 'A')));
    sock.usync = answer;
    asked.length = 0;
    await outbox.post(Promise.resolve(messageTo(ann, 'B')));
    assert.deepEqual(asked, [`devices 100001@lid ${annsLid}`]);
  });

  it('of hostile answers stay within bounds', async () => {
    const { outbox, encryptedFor } = startOutbox({
      lids: { [ann]: annsLid },
      devices: () => [-1, 0.5, Number.NaN, ...Array.from({ length: 500 }, (_, device) => device)],
    });
    await outbox.post(Promise.resolve(messageTo(ann, 'A')));
    assert.ok(encryptedFor[0]!.length <= 200, `${encryptedFor[0]!.length} devices`);
    assert.ok(encryptedFor[0]!.every((jid) => /^\d+(:\d+)?@lid$/.test(jid)));
  });
});
