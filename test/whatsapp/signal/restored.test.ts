/** A device whose database was put back publishes prekeys under ids that it has never used. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restoredNote } from '../../../src/domain/changes.ts';
import { parseCredentials, serializeCredentials } from '../../../src/whatsapp/signal/credentials.ts';
import { eventually } from '../../support/wait.ts';
import { startRig } from '../driver.support.ts';

test('the login after a restoration goes on far above the prekeys of before, and publishes some', async () => {
  await using rig = await startRig();
  const { deviceId, watched } = await rig.linked('4915550001111', 'Ada');
  const { changes, credentials } = rig.stores;
  const nextId = async () => parseCredentials((await credentials.loadCredentials(deviceId))!).nextPreKeyId;
  await watched.session.close();
  const before = await nextId();
  await changes.commit(deviceId, { keys: [{ ...restoredNote, value: Uint8Array.of(1) }] });
  await rig.connect(deviceId).opened();
  const ids = await eventually('new prekeys', async () => {
    const keys = await credentials.listKeys(deviceId);
    assert.ok(!keys.some(({ type }) => type === restoredNote.type), 'the note is heeded once');
    const found = keys.filter(({ type }) => type === 'pre-key').map(({ id }) => Number(id));
    return found.some((id) => id >= before) && found;
  });
  const fresh = ids.filter((id) => id >= before);
  assert.ok(fresh.every((id) => id >= before + 65_536 && id < 2 ** 24));
  assert.equal(await nextId(), Math.max(...fresh) + 1);
});

test('ids of prekeys begin anew before they leave their 24 bits', async () => {
  await using rig = await startRig();
  const { deviceId, watched } = await rig.linked('4915550001111', 'Ada');
  const { changes, credentials } = rig.stores;
  await watched.session.close();

  const creds = parseCredentials((await credentials.loadCredentials(deviceId))!);
  const end = 2 ** 24 - 10;
  const atTheEnd = serializeCredentials({ ...creds, nextPreKeyId: end, firstUnuploadedPreKeyId: end });
  await changes.commit(deviceId, {
    credentials: atTheEnd,
    keys: [{ ...restoredNote, value: Uint8Array.of(1) }],
  });
  await rig.connect(deviceId).opened();
  const { nextPreKeyId } = parseCredentials((await credentials.loadCredentials(deviceId))!);
  assert.ok(nextPreKeyId > 0 && nextPreKeyId < 2 ** 20);
});
