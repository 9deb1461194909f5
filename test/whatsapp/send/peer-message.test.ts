/** Messages to the own phone: the stanza, and that the phone heeds it where it would not heed one of Baileys. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BinaryNode, initAuthCreds, proto, unpadRandomMax16 } from 'baileys';
import { sendToPhone } from '../../../src/whatsapp/send/peer-message.ts';
import type { DevicePlaintext } from '../../../src/whatsapp/signal/batches.ts';
import { eventually } from '../../support/wait.ts';
import { startRig } from '../driver.support.ts';

const { APP_STATE_SYNC_KEY_REQUEST, PEER_DATA_OPERATION_REQUEST_MESSAGE } = proto.Message.ProtocolMessage.Type;
const phone = '491510000001@s.whatsapp.net';

/** `hasSession`: with the phone. */
const scene = (hasSession: boolean) => {
  const stanzas: BinaryNode[] = [];
  const opened: DevicePlaintext[] = [];
  const begun: string[] = [];
  const creds = {
    ...initAuthCreds(),
    me: { id: '491510000001:3@s.whatsapp.net', lid: '9100:3@lid', name: 'Olga' },
    account: { details: Buffer.from('details'), deviceSignature: Buffer.alloc(64), accountSignature: Buffer.alloc(64) },
  };
  const ciphertext = Buffer.from('sealed');
  const send = sendToPhone({
    sock: { isOpen: true },
    line: { send: (nodes) => void stanzas.push(...nodes) },
    creds,
    encrypt: async (plaintexts) => {
      if (!hasSession && begun.length === 0) return { encrypted: [], missing: plaintexts.map(({ jid }) => jid) };
      opened.push(...plaintexts);
      return { encrypted: [{ type: hasSession ? 'msg' : 'pkmsg', ciphertext }], missing: [] };
    },
    async beginSessions(jids) {
      begun.push(...jids);
      return new Set();
    },
  });
  return { send, stanzas, opened, begun };
};

test('a request goes to the phone alone, as one ciphertext with nothing around it', async () => {
  const { send, stanzas, opened, begun } = scene(true);
  const request = {
    type: APP_STATE_SYNC_KEY_REQUEST,
    appStateSyncKeyRequest: { keyIds: [{ keyId: Buffer.from('k') }] },
  };
  await send(request);
  const [{ tag, attrs, content } = assert.fail()] = stanzas;
  assert.match(attrs.id!, /^3EB0[0-9A-F]{18}$/);
  assert.deepEqual(
    [tag, { ...attrs, id: '' }],
    ['message', { id: '', to: phone, type: 'text', category: 'peer', push_priority: 'high' }],
  );
  assert.deepEqual(content, [
    { tag: 'meta', attrs: { appdata: 'default' } },
    { tag: 'enc', attrs: { v: '2', type: 'msg' }, content: Buffer.from('sealed') },
  ]);
  assert.deepEqual([opened.map(({ jid }) => jid), begun], [[phone], []]);
  const said = proto.Message.decode(unpadRandomMax16(opened[0]!.plaintext));
  assert.equal(said.deviceSentMessage, null);
  assert.deepEqual(Buffer.from(said.protocolMessage!.appStateSyncKeyRequest!.keyIds![0]!.keyId!), Buffer.from('k'));
});

test('without a session one is begun, and the phone is shown whose device it is; requests for messages wake it', async () => {
  const { send, stanzas, begun } = scene(false);
  await send({ type: PEER_DATA_OPERATION_REQUEST_MESSAGE, peerDataOperationRequestMessage: {} });
  assert.deepEqual(begun, [phone]);
  const [{ attrs, content } = assert.fail()] = stanzas;
  assert.equal(attrs.push_priority, 'high_force');
  assert.deepEqual(Array.isArray(content) && content.map(({ tag }) => tag), ['meta', 'enc', 'device-identity']);
});

test('a phone of today hands over what is asked for, and has found nothing wrapped', async () => {
  await using rig = await startRig();
  const { phones, stores } = rig;
  await phones.add('491510000002', 'Ann');
  const { deviceId } = await rig.linked('491510000001', 'Olga');
  await phones.write('491510000002', { to: '491510000001', text: 'I saw your advertisement', withheld: 'waiting' });
  const { data } = await rig.event(deviceId, 'message.updated', (event) => 'message' in event.data.update);
  assert.partialDeepStrictEqual(data.update, { message: { text: 'I saw your advertisement' } });

  const keysOf = async () =>
    (await stores.credentials.listKeys(deviceId)).filter(({ type }) => type === 'app-state-sync-key');
  const keys = await eventually('the key', async () => {
    const found = await keysOf();
    return found.length > 0 && found;
  });
  await eventually('all of it', async () => (await stores.devices.find(deviceId))?.account?.name === 'Olga');
  await stores.changes.commit(deviceId, { keys: keys.map(({ type, id }) => ({ type, id, value: null })) });
  await phones.request('PUT', '/phones/491510000001/contacts/491510000002', { name: 'Ann' });
  await eventually('the key again', async () => (await keysOf()).length === 1);
  assert.equal((await phones.stats())['wrappedPeerMessages'], 0);
});
