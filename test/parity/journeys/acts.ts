/** Other kinds of messages than texts and images, changes of messages, the acts of a conversation, groups, and the account itself. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WAMessage, WASocket } from 'baileys';
import { ada, bob } from '../../flows/steps.ts';
import { eventually } from '../../support/wait.ts';
import type { Client } from '../clients.ts';
import { jpeg } from '../picture.ts';
import { jidOf, type Scenario, write } from '../scenarios.ts';

const media = join(import.meta.dirname, '../../support/media');
const place = { latitude: 1, longitude: 2 };
const vcard = [
  'BEGIN:VCARD',
  'VERSION:3.0',
  'N:;Dot;;;',
  'FN:Dot',
  'TEL;type=CELL;type=VOICE;waid=4915550004444:+4915550004444',
  'END:VCARD',
].join('\n');

const stockSays =
  (socket: WASocket, to: string) =>
  async (content: Parameters<WASocket['sendMessage']>[1], quoted?: WAMessage): Promise<WAMessage> =>
    (await socket.sendMessage(to, content, quoted === undefined ? {} : { quoted }))!;

const sendKinds = async (client: Client): Promise<void> => {
  const to = await jidOf(client, bob);
  const [sticker, document] = [await readFile(join(media, 'still.webp')), Buffer.from('a plan')];
  await client.act({
    async stock(socket) {
      const say = stockSays(socket, to);
      await say({ location: { degreesLatitude: place.latitude, degreesLongitude: place.longitude } });
      await say({ contacts: { displayName: 'Dot', contacts: [{ displayName: 'Dot', vcard }] } });
      await say({ poll: { name: 'when?', values: ['now', 'never'], selectableCount: 1 } });
      await say({ sticker });
      await say({ document, fileName: 'plan.txt', mimetype: 'text/plain' });
    },
    async ours(call) {
      const send = (kind: string, body: object) => call('post', `/messages/${kind}`, { to, ...body });
      await send('location', place);
      await send('contact', { contacts: [{ name: 'Dot', numbers: ['4915550004444'] }] });
      await send('poll', { question: 'when?', options: ['now', 'never'] });
      await send('sticker', { mediaBase64: sticker.toString('base64') });
      await send('document', {
        mediaBase64: document.toString('base64'),
        fileName: 'plan.txt',
        mimetype: 'text/plain',
      });
    },
  });
};

const sendSmallKinds = async (client: Client): Promise<void> => {
  const to = await jidOf(client, bob);
  const [image, video] = [await jpeg(), await readFile(join(media, 'square.mp4'))];
  await client.act({
    async stock(socket) {
      await stockSays(socket, to)({ image, viewOnce: true });
      await stockSays(socket, to)({ video, ptv: true, seconds: 2, jpegThumbnail: '' });
      const { key } = await stockSays(socket, to)({ album: { expectedImageCount: 2, expectedVideoCount: 0 } });
      for (const each of [image, image]) await stockSays(socket, to)({ image: each, albumParentKey: key });
    },
    async ours(call) {
      await call('post', '/messages/media', { to, mediaBase64: image.toString('base64'), viewOnce: true });
      await call('post', '/messages/video', { to, mediaBase64: video.toString('base64'), note: true });
      const item = { mediaBase64: image.toString('base64') };
      await call('post', '/messages/album', { to, items: [item, item] });
    },
  });
};

const changeMessages = async (client: Client): Promise<void> => {
  const to = await jidOf(client, bob);
  await client.act({
    async stock(socket) {
      const say = stockSays(socket, to);
      const first = await say({ text: 'frist' });
      const { key } = first;
      await say({ text: 'first', edit: key });
      await say({ react: { text: '👍', key } });
      await say({ text: 'an answer' }, first);
      await say({ forward: first, force: true });
      await say({ pin: key, type: 1, time: 604_800 });
      await say({ delete: key });
    },
    async ours(call) {
      const id = await call('post', '/messages/text', { to, message: 'frist' });
      await call('put', `/messages/${id}`, { message: 'first' });
      await call('put', `/messages/${id}/reaction`, { reaction: '👍' });
      await call('post', '/messages/text', { to, message: 'an answer', quotedMessageId: id });
      await call('post', `/messages/${id}/forward`, { to });
      await call('put', `/messages/${id}/pin`, { pinned: true });
      await call('delete', `/messages/${id}`);
    },
  });
};

const converse = async (client: Client): Promise<void> => {
  const { phones } = client;
  const jid = await jidOf(client, bob);
  const id = await write(client, bob, { text: 'are you there?' });
  await eventually('it was delivered', async () =>
    (await phones.messages(bob)).some((each) => each.id === id && each.state === 'delivered'),
  );
  const { callId } = await phones.request<{ callId: string }>('POST', `/phones/${bob}/call`, { to: ada });
  await client.act({
    async stock(socket) {
      await socket.readMessages([{ remoteJid: jid, id }]);
      await socket.sendPresenceUpdate('composing', jid);
      await socket.sendPresenceUpdate('paused', jid);
      await socket.presenceSubscribe(jid);
      await socket.rejectCall(callId, jid);
    },
    async ours(call) {
      await call('post', `/chats/${bob}/read`, { messageIds: [id] });
      await call('put', `/chats/${bob}/typing`, { state: 'text' });
      await call('put', `/chats/${bob}/typing`, { state: 'none' });
      await call('put', '/settings', { presence: [bob] });
      await call('post', `/calls/${callId}/reject`, {});
      await call('put', '/settings', { presence: [] });
    },
  });
};

const changeGroups = async (client: Client): Promise<void> => {
  const to = await jidOf(client, bob);
  await client.act({
    async stock(socket) {
      const { id } = await socket.groupCreate('Tea', [to]);
      await socket.groupUpdateSubject(id, 'Coffee');
      await socket.groupUpdateDescription(id, 'At four');
      await socket.groupSettingUpdate(id, 'announcement');
      await socket.groupJoinApprovalMode(id, 'on');
      await socket.groupMemberAddMode(id, 'admin_add');
      await socket.groupToggleEphemeral(id, 86_400);
      await socket.groupParticipantsUpdate(id, [to], 'promote');
      await socket.groupInviteCode(id);
      await socket.groupRevokeInvite(id);
      await socket.groupRequestParticipantsList(id);
      await socket.groupLeave(id);
    },
    async ours(call) {
      const id = await call('post', '/groups', { subject: 'Tea', members: [bob] });
      const wish = { subject: 'Coffee', description: 'At four', announceOnly: true, memberAddMode: 'admins' };
      await call('put', `/groups/${id}`, { ...wish, joinApproval: true, expiresInSeconds: 86_400 });
      await call('put', `/groups/${id}/members/${bob}`, { admin: true });
      await call('get', `/groups/${id}/invite`);
      await call('post', `/groups/${id}/invite/rotate`);
      await call('get', `/groups/${id}/requests`);
      await call('delete', `/groups/${id}`);
    },
  });
};

const keepAccount = async (client: Client): Promise<void> => {
  const to = await jidOf(client, bob);
  await client.act({
    async stock(socket) {
      await socket.updateProfileStatus('At work');
      await socket.chatModify({ mute: 4_102_444_800_000 }, to);
      await socket.chatModify({ pin: true }, to);
      await socket.updateBlockStatus(to, 'block');
      await socket.updateBlockStatus(to, 'unblock');
    },
    async ours(call) {
      await call('put', '/profile', { about: 'At work' });
      await call('put', `/chats/${bob}`, { pinned: true, mutedUntil: '2100-01-01T00:00:00Z' });
      await call('put', `/contacts/${bob}`, { blocked: true });
      await call('put', `/contacts/${bob}`, { blocked: false });
    },
  });
};

export const acts: readonly Scenario[] = [
  { name: 'other kinds', run: sendKinds },
  { name: 'small kinds', run: sendSmallKinds },
  { name: 'changes of messages', run: changeMessages },
  { name: 'the acts of a conversation', run: converse },
  { name: 'groups made and changed', run: changeGroups },
  { name: 'the account kept', run: keepAccount },
];
