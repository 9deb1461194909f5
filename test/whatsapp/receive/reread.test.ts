/** Messages that a version before stored as unknown, read anew. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { proto } from 'baileys';
import { rereadMessages } from '../../../src/whatsapp/receive/reread.ts';
import { startIntakes } from './intake.ts';
import { ann, at } from '../driver.people.ts';

const fromAnn = { from: ann.lid, sender_pn: ann.phone, t: String(at / 1000) };

test('reread: what this version knows gets its content, once; the rest stays as it is', async () => {
  await using rig = await startIntakes();
  const { stores, deviceId } = rig;
  const messageContextInfo = { messageSecret: randomBytes(32) };
  const later: Readonly<Record<string, proto.IMessage>> = {
    PLACE: { locationMessage: { degreesLatitude: 1, degreesLongitude: 2, contextInfo: { mentionedJid: [ann.lid] } } },
    ONCE: { viewOnceMessage: { message: { imageMessage: { caption: 'once' } } }, messageContextInfo },
    REVOKED: { conversation: 'gone' },
    SILENT: { senderKeyDistributionMessage: {} },
  };
  const { decrypted } = rig.connect();
  for (const id of [...Object.keys(later), 'GARBAGE', 'UNKNOWN']) {
    await decrypted({ id, ...fromAnn }, { placeholderMessage: {} });
  }
  const all = async () => (await stores.messages.list(deviceId, { limit: 100, cursor: null })).items;
  /** The bytes of a kind that no field was there for, as a version before has kept them. */
  const stored = (await all()).map(({ id }) => ({
    messageId: id,
    chat: ann.phone,
    content: id in later ? proto.Message.encode(later[id]!).finish() : id === 'GARBAGE' ? Buffer.alloc(40, 0xff) : null,
  }));
  const messageChanges = stored.flatMap(({ content, ...of }) => (content === null ? [] : [{ ...of, content }]));
  await stores.changes.commit(deviceId, { messageChanges });
  const deletion = { messageId: 'REVOKED', chat: ann.phone, deletedAt: at };
  await stores.changes.commit(deviceId, { messageChanges: [deletion] });
  const reread = async () => {
    const options = { deviceId, store: { ...stores.credentials, ...stores.changes }, now: at + 5 };
    const changes = await rereadMessages(options, await all());
    await stores.changes.commit(deviceId, changes);
    return (changes.messageChanges ?? []).map(({ messageId }) => messageId).toSorted();
  };
  const before = (await rig.events()).length;
  assert.deepEqual(await reread(), ['ONCE', 'PLACE']);
  const place = await stores.messages.find(deviceId, 'PLACE');
  assert.equal(place?.type, 'location');
  assert.deepEqual(place.parts?.mentions, [{ jid: ann.phone, number: '4922200002', lid: ann.lid }]);
  assert.notEqual(place.content, null);
  const once = await stores.messages.find(deviceId, 'ONCE');
  assert.deepEqual([once?.type, once?.viewOnce, once?.content], ['image', true, null]);
  assert.deepEqual(Buffer.from(once!.secret!), messageContextInfo.messageSecret);
  assert.equal((await stores.messages.find(deviceId, 'REVOKED'))?.type, 'unknown');
  const events = (await rig.events()).slice(before);
  const told = events.flatMap((event) =>
    event.type === 'message.updated' && 'message' in event.data.update ? [event.data.messageId] : [],
  );
  assert.deepEqual(told.toSorted(), ['ONCE', 'PLACE']);
  assert.deepEqual(await reread(), []);
  assert.equal((await rig.events()).length, before + 2);
});
