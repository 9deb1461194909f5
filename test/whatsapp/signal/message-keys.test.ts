/** Changes to a message find it whether key and stanza name people by LID or by phone number, and only its author may make them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { proto } from 'baileys';
import { startIntakes } from '../receive/intake.ts';
import { ann, at, group, me, Type } from '../driver.people.ts';

const t = String(at / 1000);
const eve = { phone: '4966600006@s.whatsapp.net', lid: '9006@lid' };
type Person = typeof ann;
type Kind = 'lid' | 'phone';
const kinds: readonly Kind[] = ['lid', 'phone'];

/** A stanza of this person by one kind of address, with the other one beside it. */
const stanzaOf = (id: string, person: Person, kind: Kind, inGroup: boolean) => {
  const other = person[kind === 'lid' ? 'phone' : 'lid'];
  const suffix = kind === 'lid' ? 'pn' : 'lid';
  return inGroup
    ? { id, t, from: group, participant: person[kind], [`participant_${suffix}`]: other }
    : { id, t, from: person[kind], [`sender_${suffix}`]: other };
};

const keyOf = (id: string, kind: Kind, inGroup: boolean): proto.IMessageKey =>
  inGroup ? { id, remoteJid: group, participant: ann[kind] } : { id, remoteJid: me[kind], fromMe: true };

const actions = (key: proto.IMessageKey): proto.IMessage[] => [
  {
    protocolMessage: { type: Type.MESSAGE_EDIT, key, editedMessage: { conversation: 'second' } },
  },
  { reactionMessage: { key, text: '👍' } },
  { protocolMessage: { type: Type.REVOKE, key } },
];

for (const inGroup of [false, true]) {
  for (const first of kinds) {
    for (const then of kinds) {
      const title = `${inGroup ? 'in a group, ' : ''}written by ${first}, changed by ${then}`;
      test(`driver: an edit, a reaction and a revoke find their message ${title}`, async () => {
        await using rig = await startIntakes();
        const { decrypted } = rig.connect();
        await decrypted(stanzaOf('M1', ann, first, inGroup), { conversation: 'first' });
        for (const kind of kinds) {
          const key = keyOf('M1', kind, inGroup);
          for (const [index, action] of actions(key).entries()) {
            await decrypted(stanzaOf(`EVE-${kind}-${index}`, eve, then, inGroup), action);
          }
        }
        const about = async () =>
          (await rig.events()).flatMap(({ type, data }) =>
            type === 'message.updated' || type === 'message.deleted' ? [`${data.chat} ${data.messageId} ${type}`] : [],
          );
        assert.equal((await rig.stores.messages.find(rig.deviceId, 'M1'))?.text, 'first');
        assert.equal((await rig.stores.messages.find(rig.deviceId, 'M1'))?.deletedAt, null);
        const byEve = await about();
        for (const [index, action] of actions(keyOf('M1', then, inGroup)).entries()) {
          await decrypted(stanzaOf(`ANN-${index}`, ann, then, inGroup), action);
        }
        const chat = inGroup ? group : ann.phone;
        const place = `${chat} M1`;
        assert.deepEqual((await about()).slice(byEve.length), [
          `${place} message.updated`,
          `${place} message.updated`,
          `${place} message.deleted`,
        ]);
        const record = await rig.stores.messages.find(rig.deviceId, 'M1', chat, true);
        assert.notEqual(record?.deletedAt, null);
      });
    }
  }
}
