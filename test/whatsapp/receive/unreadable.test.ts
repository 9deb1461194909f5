/** Messages that nobody can read, and what strangers send about them: it ends no connection, and costs little. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { proto } from 'baileys';
import { ann, at, me } from '../driver.people.ts';
import { lengthDelimited } from '../../../src/whatsapp/signal/session-record.ts';
import { startIntakes } from './intake.ts';

const t = String(at / 1000);
const fromAnn = { from: ann.lid, sender_pn: ann.phone, t };
const key = { id: 'M1', remoteJid: me.lid };
const sealed = { encIv: randomBytes(12), encPayload: randomBytes(64) };
const parent = {
  associationType: proto.MessageAssociation.AssociationType.HD_IMAGE_DUAL_UPLOAD,
  parentMessageKey: key,
};
const { MESSAGE_EDIT } = proto.Message.SecretEncryptedMessage.SecretEncType;

/** Each is about the message `M1`. */
const about: Readonly<Record<string, proto.IMessage>> = {
  reaction: { encReactionMessage: { targetMessageKey: key, ...sealed } },
  vote: { pollUpdateMessage: { pollCreationMessageKey: key, vote: sealed } },
  response: { encEventResponseMessage: { eventCreationMessageKey: key, ...sealed } },
  comment: { encCommentMessage: { targetMessageKey: key, ...sealed } },
  edit: { secretEncryptedMessage: { targetMessageKey: key, secretEncType: MESSAGE_EDIT, ...sealed } },
  'better picture': {
    associatedChildMessage: { message: { imageMessage: { mimetype: 'image/jpeg' } } },
    messageContextInfo: { messageAssociation: parent },
  },
};

/** A field of a form that does not exist. */
const garbage = Buffer.from([0xc7, 0x3e]);

for (const [what, message] of Object.entries(about)) {
  test(`driver: a ${what} of a message that is no message is taken, before and after it`, async () => {
    await using rig = await startIntakes();
    const { decrypted, decryptedBytes } = rig.connect();
    await decrypted({ id: 'EARLY', ...fromAnn }, message);
    await decryptedBytes({ id: 'M1', ...fromAnn }, garbage);
    await decrypted({ id: 'LATE', ...fromAnn }, message);
    await decrypted({ id: 'NEXT', ...fromAnn }, { conversation: 'next' });
    const found = await rig.stores.messages.find(rig.deviceId, 'M1');
    assert.deepEqual([found?.type, found?.content], ['unknown', garbage]);
    assert.equal((await rig.stores.messages.find(rig.deviceId, 'NEXT'))?.text, 'next');
  });
}

/** Quotes in each other: 6 = a text, 17 = its context, 3 = what it quotes. */
const quotes = (depth: number): Buffer => {
  let bytes: Uint8Array = Buffer.alloc(0);
  for (let left = depth; left > 0; left -= 1) for (const number of [3, 17, 6]) bytes = lengthDelimited(number, bytes);
  return Buffer.from(bytes);
};

test('driver: an update with quotes so deep that it can be decoded, and not encoded, is left out', async () => {
  await using rig = await startIntakes();
  const { decrypted, decryptedBytes } = rig.connect();
  const update = proto.Message.encode(about['reaction']!).finish();
  for (let depth = 2_000; depth < 3_000; depth += 100)
    await decryptedBytes({ id: `D${depth}`, ...fromAnn }, Buffer.concat([update, quotes(depth)]));
  await decrypted({ id: 'NEXT', ...fromAnn }, { conversation: 'next' });
  assert.equal((await rig.stores.messages.find(rig.deviceId, 'NEXT'))?.text, 'next');
});
