/** Labels in the application state: what is read of hostile entries, and by a device that an earlier release has linked. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastLabelIn, lastLabelKey } from '../../../src/domain/chats/label.ts';
import type { proto } from '../../../src/whatsapp/library/proto.ts';
import { addLabels, nothingOfLabels, patchOfLabel } from '../../../src/whatsapp/chats/app-state/labels.ts';
import { factsOf, setFacts } from '../../../src/whatsapp/identity/account.ts';
import { parseCredentials, serializeCredentials } from '../../../src/whatsapp/signal/credentials.ts';
import { eventually } from '../../support/wait.ts';
import { startRig } from '../driver.support.ts';

const owner = '491510000001';
const ann = '491510000002';
const chat = '491510000002@s.whatsapp.net';
const page = { limit: 100, cursor: null };

const read = (index: readonly string[], value: proto.ISyncActionValue, removed = false) => {
  const said = nothingOfLabels();
  addLabels(said, { index, value: new Uint8Array(), removed }, value);
  return said;
};

test('names, colours, ids and addresses of any length and kind are read as what they can be, or not at all', () => {
  const labelEditAction = { name: `\u0000${'x'.repeat(5_000)}`, color: -7, type: 77, isImmutable: true };
  const [label] = read(['label_edit', '7'], { labelEditAction }).labels.map((change) => change.label);
  assert.equal(label?.name.length, 999);
  assert.partialDeepStrictEqual(label, { color: null, listType: 77, isImmutable: true });
  assert.equal(read(['label_edit', '7'], { labelEditAction }).lastLabel, 7);
  assert.equal(read(['label_edit', '9'.repeat(60)], { labelEditAction }).lastLabel, 0);
  assert.deepEqual(read(['label_edit', '7'], {}, true).labels, [{ id: '7', label: null }]);
  assert.deepEqual(
    read(['label_edit', '7'], { labelEditAction: { name: 'x', isActive: false } }).labels[0]?.label,
    null,
  );
  const labelAssociationAction = { labeled: true };
  for (const index of [
    ['label_edit', ''],
    ['label_edit', '7 8'],
    ['label_edit', '7'.repeat(65)],
    ['label_edit'],
    ['label_jid', '7', 'nobody'],
    ['label_jid', '7', `${'1'.repeat(200)}@lid`],
    ['label_message', '7', chat],
    ['label_message', '7', chat, 'x'.repeat(101)],
  ]) {
    const { labels, labelMarks } = read(index, { labelAssociationAction });
    assert.deepEqual([labels, labelMarks], [[], []], index.join());
  }
  const [mark] = read(['label_jid', '7', chat], { labelAssociationAction, timestamp: 1e30 }).labelMarks;
  assert.deepEqual(mark, { chat, messageId: null, label: '7', labeled: true, at: 0 });
  const [gone] = read(
    ['label_message', '7', chat, 'A', '0', '0'],
    { labelAssociationAction, timestamp: 5 },
    true,
  ).labelMarks;
  assert.deepEqual(gone, { chat, messageId: 'A', label: '7', labeled: false, at: 5 });
});

test('a change leaves what the apps keep beside name and colour', () => {
  const kept = { id: '7', name: 'Paid', color: 4, listType: null, predefinedId: 2, orderIndex: 3, isImmutable: false };
  const changed = patchOfLabel({ kind: 'label', label: kept, isNew: false, deleted: false });
  assert.deepEqual(changed, {
    type: 'regular',
    apiVersion: 3,
    index: ['label_edit', '7'],
    syncAction: {
      labelEditAction: { name: 'Paid', deleted: false, color: 4, predefinedId: 2, orderIndex: 3, isActive: true },
    },
  });
});

test('a device that an earlier release has linked reads the labels at its next login, and makes none before', async () => {
  await using rig = await startRig();
  const { phones, stores } = rig;
  await phones.add(ann, 'Ann');
  const { deviceId, watched } = await rig.linked(owner, 'Olga');
  await phones.request('POST', `/phones/${owner}/labels`, { name: 'Friends' });
  await phones.request('PATCH', `/phones/${owner}/chats/${ann}`, { labels: ['1'] });
  const names = async () => (await stores.labels.list(deviceId, page)).items.map(({ name }) => name);
  await eventually('the label', async () => (await names()).join() === 'Friends');
  await watched.session.close();
  const creds = parseCredentials((await stores.credentials.loadCredentials(deviceId))!);
  assert.equal(factsOf(creds).labelsKept, true);
  setFacts(creds, { labelsKept: undefined });
  await stores.changes.commit(deviceId, {
    credentials: serializeCredentials(creds),
    labelsReset: true,
    keys: [{ ...lastLabelKey, value: null }],
  });
  const again = rig.connect(deviceId);
  await again.opened();
  const label = {
    id: '1',
    name: 'Mine',
    color: 0,
    listType: 5,
    predefinedId: null,
    orderIndex: null,
    isImmutable: false,
  };
  const write = again.session.writeAppState([{ kind: 'label', label, isNew: true, deleted: false }]);
  await assert.rejects(write, { name: 'Conflict', message: /making labels/ });
  assert.deepEqual(await names(), ['Friends']);
  const [marks] = await stores.labels.marks(deviceId, [{ chat, chatLid: null }]);
  assert.equal(marks?.[0]?.labeled, true);
  const last = await stores.credentials.readKeys(deviceId, lastLabelKey.type, [lastLabelKey.id]);
  assert.equal(lastLabelIn(last.get(lastLabelKey.id)), 1);
});
