/** Receipts of ids that nobody has sent, retry receipts of days ago, and revokes by people who may not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BinaryNode } from 'baileys';
import { systemClock } from '../../../src/clock.ts';
import type { KeptGroup } from '../../../src/domain/groups/group.ts';
import { quietGroup } from '../../support/groups.ts';
import { eventually } from '../../support/wait.ts';
import { readNotice } from '../../../src/whatsapp/groups/notices.ts';
import { startIntakes } from './intake.ts';
import { ann, at, group, me, Type, unknownPeople } from '../driver.people.ts';

const t = String(at / 1000);
const eve = '9666@lid';
const clock = { ...systemClock, now: () => at + 5_000 };

const receipt = (attrs: BinaryNode['attrs'], content?: BinaryNode[]): BinaryNode => ({
  tag: 'receipt',
  attrs: { t, ...attrs },
  ...(content === undefined ? {} : { content }),
});

test('driver: one receipt with 20,000 invented ids makes no event', async () => {
  await using rig = await startIntakes(clock);
  const { decrypted, socket, acknowledged } = rig.connect();
  await decrypted({ id: 'OURS', from: me.lid, recipient: ann.lid, t }, { conversation: 'ours' });
  const items = Array.from({ length: 20_000 }, (_, n) => ({ tag: 'item', attrs: { id: `I${n}` } }));
  socket.stanzas.dispatch(receipt({ id: 'I', from: eve, type: 'read' }, [{ tag: 'list', attrs: {}, content: items }]));
  socket.stanzas.dispatch(receipt({ id: 'OURS', from: eve, type: 'read' }));
  socket.stanzas.dispatch(receipt({ id: 'OURS', from: ann.lid, type: 'read' }));
  await eventually('the receipts are acknowledged', () => acknowledged.length === 3);
  const events = await rig.events();
  assert.deepEqual(
    events.map((event) => (event.type === 'message.updated' ? [event.data.chat, event.data.update] : event.type)),
    ['message.sent', [ann.lid, { status: 'read' }]],
    'one who is no party to a chat reads nothing of it',
  );
});

const readersOf = async (rig: Awaited<ReturnType<typeof startIntakes>>) =>
  (await rig.events()).flatMap((event) =>
    event.type === 'message.updated' ? [[event.data.chat, event.data.update, event.data.chatLid]] : [],
  );

test('driver: whoever knows the id of a message, and is not its recipient, reads nothing', async () => {
  await using rig = await startIntakes(clock);
  const { decrypted, socket, acknowledged } = rig.connect({}, { [ann.phone]: ann.lid });
  await decrypted({ id: 'OURS', from: me.phone, recipient: ann.phone, t }, { conversation: 'ours' });
  for (let n = 1; n <= 3; n += 1) {
    socket.stanzas.dispatch(receipt({ id: 'OURS', from: eve, type: 'read' }));
    await eventually('the receipt is acknowledged', () => acknowledged.length === n);
  }
  assert.deepEqual(await readersOf(rig), []);
  assert.equal((await rig.stores.messages.find(rig.deviceId, 'OURS'))?.readAt, null);
  assert.deepEqual(rig.askedFor, [ann.phone], 'the network is asked whose LID it is, once');
});

test('driver: a receipt from the LID that the network knows as the recipient counts, also where they had another one', async () => {
  await using rig = await startIntakes(clock);
  const newLid = '9555@lid';
  const { decrypted, socket, acknowledged } = rig.connect({}, { [ann.phone]: newLid });
  const toAnn = { from: me.lid, recipient: ann.lid, peer_recipient_pn: ann.phone, t };
  await decrypted({ id: 'OURS', ...toAnn }, { conversation: 'ours' });
  socket.stanzas.dispatch(receipt({ id: 'OURS', from: newLid, type: 'read' }));
  await eventually('the receipt is acknowledged', () => acknowledged.length === 1);
  assert.deepEqual(await readersOf(rig), [[ann.phone, { status: 'read' }, newLid]]);
  assert.ok((await rig.stores.messages.find(rig.deviceId, 'OURS'))?.readAt);
});

test('driver: a retry receipt of two days ago is acknowledged and not answered', async () => {
  await using rig = await startIntakes(clock);
  const { socket, acknowledged, answered } = rig.connect();
  const twoDaysAgo = String(at / 1000 - 2 * 86_400);
  const retry = [{ tag: 'retry', attrs: { count: '1', id: 'M' } }];
  socket.stanzas.dispatch(receipt({ id: 'OLD', from: ann.lid, type: 'retry', t: twoDaysAgo }, retry));
  socket.stanzas.dispatch(receipt({ id: 'NEW', from: ann.lid, type: 'retry' }, retry));
  await eventually('the new one to be answered', () => answered.length === 1);
  assert.deepEqual(
    [acknowledged, answered].map((nodes) => nodes.map(({ attrs }) => attrs.id)),
    [['OLD'], ['NEW']],
  );
});

const groupOf = (...members: { id: string; admin: boolean }[]): KeptGroup => ({
  ...quietGroup,
  jid: group,
  members: members.map(({ id: jid, admin }) => ({ person: { jid, number: null, lid: jid }, admin })),
});

const inGroup = (id: string, participant: string) => ({ id, from: group, participant, t });
const revokeOf = (id: string, participant: string) => ({
  protocolMessage: { type: Type.REVOKE, key: { id, remoteJid: group, participant } },
});

test('driver: in a group the author and administrators may revoke a message, and nobody else', async () => {
  await using rig = await startIntakes(clock);
  const admin = '9777@lid';
  const groups = {
    [group]: groupOf({ id: ann.lid, admin: false }, { id: eve, admin: false }, { id: admin, admin: true }),
  };
  const { decrypted } = rig.connect(groups);
  for (const id of ['M1', 'M2', 'M3']) await decrypted(inGroup(id, ann.lid), { conversation: id });
  await decrypted(inGroup('R1', eve), revokeOf('M1', ann.lid));
  await decrypted(inGroup('R2', eve), revokeOf('M1', eve));
  await decrypted(inGroup('R3', eve), revokeOf('NOBODY', ann.lid));
  await decrypted(inGroup('R4', ann.lid), revokeOf('M2', ann.lid));
  await decrypted(inGroup('R5', admin), revokeOf('M3', ann.lid));
  const deleted = (await rig.events()).flatMap((event) =>
    event.type === 'message.deleted' ? [[event.data.messageId, event.data.by.jid]] : [],
  );
  assert.deepEqual(deleted, [
    ['M2', ann.lid],
    ['M3', admin],
  ]);
  assert.equal((await rig.stores.messages.find(rig.deviceId, 'M1'))?.deletedAt, null);
  assert.equal(rig.said().length, 3);
});

test('driver: where the group is not known, only the author may', async () => {
  await using rig = await startIntakes(clock);
  const { decrypted } = rig.connect();
  await decrypted(inGroup('M1', ann.lid), { conversation: 'M1' });
  await decrypted(inGroup('R1', eve), revokeOf('M1', ann.lid));
  await decrypted(inGroup('R2', ann.lid), revokeOf('M1', ann.lid));
  const deleted = (await rig.events()).filter(({ type }) => type === 'message.deleted');
  assert.equal(deleted.length, 1);
});

test('driver: of thousands of changes of a group in one notice, a few are taken', () => {
  const member = { tag: 'participant', attrs: { jid: ann.lid } };
  const promotions = Array.from({ length: 2_000 }, () => ({ tag: 'promote', attrs: {}, content: [member] }));
  const notice = { tag: 'notification', attrs: { type: 'w:gp2', from: group }, content: promotions };
  assert.equal(readNotice(notice, { peek: unknownPeople, now: at }).steps.length, 64);
});
