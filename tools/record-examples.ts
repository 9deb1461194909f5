/** `npm run examples`: calls the interface of a running service in the sandbox, and records its responses and webhooks. */
import { readFile, writeFile } from 'node:fs/promises';
import { adminOperations, operations } from '../src/contract/operations/all.ts';
import { type Api, api } from '../test/support/api.ts';
import { shiftedClock } from '../test/support/clock.ts';
import { type Installation, startInstallation } from '../test/support/installation.ts';
import { sample } from '../test/support/media.ts';
import { type Received, startReceiver } from '../test/support/receiver.ts';
import { eventually } from '../test/support/wait.ts';
import { shortened } from './examples.ts';
import { recordChannels } from './record-channels.ts';
import { recordCommunities, recordLabels, recordLookUps, recordStatuses } from './record-resources.ts';
import { recordWebhooks } from './record-webhooks.ts';

const target = new URL('../src/http/openapi/examples.json', import.meta.url);
const [ada, bob, cyd] = ['4915550001111', '4915550002222', '4915550003333'] as const;
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

type Answers = Record<string, unknown>;

/** Calls operations by id, and keeps the first response of each. */
const recorder =
  (client: () => Api, answers: Answers, known = operations) =>
  async (operationId: string, params: Record<string, string | number> = {}, body?: unknown, query = '') => {
    const op = known.find(({ id }) => id === operationId);
    if (op === undefined) throw new Error(`There is no operation ${operationId}`);
    const path = op.path.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name]));
    const { status, body: answer } = await client().call(op.method, path + query, body);
    if (status !== 200 && status !== 202) throw new Error(`${operationId}: ${status} ${JSON.stringify(answer)}`);
    answers[operationId] ??= shortened(answer);
    return answer;
  };

type Call = ReturnType<typeof recorder>;
const hasMedia = (data: unknown): boolean => (data as { message: { media: unknown } }).message.media !== null;
const converse = async (installation: Installation, call: Call, id: number, until: Until): Promise<void> => {
  const { phones } = installation;
  const { messageId } = await call('sendText', { id }, { toNumber: bob, message: 'Hello from Handset' });
  await until('message.updated');
  await phones.request('POST', `/phones/${bob}/messages/${messageId}/react`, { emoji: '👍' });
  const media = { toNumber: bob, mediaBase64: pixel, mediaCaption: 'a pixel' };
  await call('uploadFile', { id }, media);
  await call('sendMedia', { id }, media);
  const [received] = await phones.write(bob, { to: ada, text: 'Hello yourself' });
  await until('message.received');
  await phones.write(bob, { to: ada, imageBase64: pixel, caption: 'a pixel of my own' });
  await until('message.received', hasMedia);
  await phones.request('POST', `/phones/${bob}/messages/${received}/edit`, { text: 'Hello, yourself!' });
  await phones.request('POST', `/phones/${bob}/messages/${received}/revoke`);
  await until('message.deleted');
  await call('updateChat', { id, chat: bob }, { pinned: true });
  await call('loadHistory', { id, chat: bob }, { count: 10 });
  await recordLookUps(call, phones, id, bob);
  await call('updateContact', { id, person: bob }, { name: 'Bob Baker' });
  await call('updateProfile', { id }, { name: 'Ada', about: 'Open from 7' });
  await call('setProfilePicture', { id }, { mediaBase64: pixel });
  await call('getProfile', { id });
  await call('removeProfilePicture', { id });
  await call('setTyping', { id, chat: bob }, { state: 'text', seconds: 5 });
  await call('markRead', { id, chat: bob }, {});
  const { callId } = await phones.request<{ callId: string }>('POST', `/phones/${bob}/call`, { to: ada });
  await until('call');
  await call('rejectCall', { id, callId });
  await until('message.updated', (data) => 'reaction' in (data as { update: object }).update);
  await until('message.updated', (data) => 'text' in (data as { update: object }).update);
  const poll = { question: 'Lunch?', options: ['Soup', 'Salad'] };
  const [asked] = await phones.write(bob, { to: ada, poll });
  await phones.request('POST', `/phones/${bob}/messages/${asked}/vote`, { options: ['Soup'] });
  const [party] = await phones.write(bob, { to: ada, event: { name: 'Party', startsAt: '2027-01-01T20:00:00Z' } });
  await phones.request('POST', `/phones/${bob}/messages/${party}/respond`, { answer: 'going' });
  for (const member of ['votes', 'response'])
    await until('message.updated', (data) => member in (data as { update: object }).update);
  await call('getMessagePoll', { id, messageId: asked! });
  await call('getMessageReceipts', { id, messageId });
  await call('listMessages', { id }, undefined, '?limit=2');
  await call('getMessage', { id, messageId });
  await call('listChats', { id });
  await call('getChat', { id, chat: bob });
  await call('listContacts', { id });
  await call('getContact', { id, person: bob });
  const now = new Date().toISOString();
  const today = `?by=day&since=${now}&until=${now}`;
  await call('listAccounts');
  await call('getUsage', {}, undefined, today);
  await call('getDeviceUsage', { id }, undefined, today);
};

/** Locations, contacts, polls, and actions on sent messages. */
const sayMore = async (call: Call, id: number): Promise<void> => {
  const location = { latitude: 52.5163, longitude: 13.3777, name: 'Brandenburg Gate' };
  const { messageId: place } = await call('sendLocation', { id }, { toNumber: bob, ...location });
  const file = { mediaBase64: Buffer.from('Hello\n').toString('base64'), fileName: 'hello.txt' };
  await call('sendDocument', { id }, { toNumber: bob, ...file });
  const inBase64 = (name: string) => ({ mediaBase64: sample(name).toString('base64') });
  await call('sendVideo', { id }, { toNumber: bob, ...inBase64('gif.mp4'), gif: true });
  await call('sendAudio', { id }, { toNumber: bob, ...inBase64('voice.ogg'), voice: true });
  const items = ['Before', 'After'].map((mediaCaption) => ({ mediaBase64: pixel, mediaCaption }));
  await call('sendAlbum', { id }, { toNumber: bob, items });
  await call('sendSticker', { id }, { toNumber: bob, ...inBase64('still.webp') });
  await call('sendContact', { id }, { toNumber: bob, contacts: [{ name: 'Ada', numbers: [ada] }] });
  await call('sendPoll', { id }, { toNumber: bob, question: 'Where to?', options: ['Lisbon', 'Oslo'] });
  await call('forwardMessage', { id, messageId: place }, { toNumber: bob });
  const { messageId } = await call('sendText', { id }, { toNumber: bob, message: 'Helo', quotedMessageId: place });
  await call('editMessage', { id, messageId }, { message: 'Hello' });
  await call('setReaction', { id, messageId }, { reaction: '👍' });
  const sendAt = new Date(Date.now() + 86_400_000).toISOString();
  const waits = { id, ...(await call('sendText', { id }, { toNumber: bob, message: 'At nine', sendAt })) };
  await call('listScheduled', { id });
  await call('updateScheduled', waits, { message: 'At ten, not at nine' });
  await call('cancelScheduled', waits);
  await call('setPin', { id, messageId }, { pinned: true });
  await call('setStar', { id, messageId }, { starred: true });
  await recordLabels(call, id, messageId);
  await call('deleteMessage', { id, messageId });
};

/** Groups: created, changed and left. */
const gather = async ({ phones }: Installation, call: Call, id: number): Promise<void> => {
  const { group } = await call('createGroup', { id }, { subject: 'Tea', members: [bob] });
  const at = { id, group: group.jid };
  await recordCommunities(call, id, group.jid);
  await call('updateGroup', at, { description: 'All of tea', joinApproval: true });
  await call('setAdmin', { ...at, person: bob }, { admin: true });
  const { invite } = await call('getInvite', at);
  await call('previewInvite', { id, code: invite.code });
  await phones.add(cyd, 'Cyd');
  await phones.request('POST', `/phones/${cyd}/join`, { code: invite.code });
  await call('listJoinRequests', at);
  await call('decideRequest', { ...at, person: cyd }, { approved: true });
  await call('removeMember', { ...at, person: cyd });
  await call('addMembers', at, { members: [cyd] });
  await call('rotateInvite', at);
  await call('setGroupPicture', at, { mediaBase64: pixel });
  await call('removeGroupPicture', at);
  await call('getGroup', at);
  await call('listGroups', { id });
  await call('leaveGroup', at);
  const { jid } = await phones.request<{ jid: string }>('POST', '/groups', {
    subject: 'Choir',
    owner: bob,
    participants: [],
  });
  const { code } = await phones.request<{ code: string }>('POST', `/groups/${jid}/invite`);
  await call('joinGroup', { id }, { invite: `https://chat.whatsapp.com/${code}` });
  await call('clearChat', { id, chat: bob });
};

type Until = (type: string, fits?: (data: unknown) => boolean) => Promise<Received>;

const account = async (call: Call): Promise<void> => {
  await call('getMe');
  const person = { number: '4915550007777', reason: 'asked by phone' };
  await call('createSuppression', {}, person);
  await call('listSuppressions');
  await call('deleteSuppression', { number: person.number });
  const { key } = await call('createKey', {}, { name: 'ci' });
  await call('listKeys');
  await call('updateKey', { keyId: key.id }, { expiresAt: '2030-01-01T00:00:00Z' });
  await call('revokeKey', { keyId: key.id });
};

const operator = async (call: Call, deviceId: number): Promise<void> => {
  const { user } = await call('createUser', {}, { name: 'acme', deviceLimit: 25 });
  const userId = user.id;
  await call('listUsers');
  await call('getUser', { userId });
  await call('updateUser', { userId }, { deviceLimit: 50 });
  const { key } = await call('createUserKey', { userId }, { name: 'ci' });
  await call('listUserKeys', { userId });
  await call('updateUserKey', { userId, keyId: key.id }, { expiresAt: '2030-01-01T00:00:00Z' });
  await call('revokeUserKey', { userId, keyId: key.id });
  await call('listAllDevices');
  await call('listUserDevices', { userId: 1 });
  await call('listNodes');
  await call('rereadAnyDevice', { deviceId });
  await call('startCapture', { deviceId }, { seconds: 600 });
  await call('getCapture', { deviceId });
  await call('stopCapture', { deviceId });
  const passphrase = 'correct horse battery staple';
  const { export: packed } = await call('exportAnyDevice', { deviceId }, { passphrase });
  await call('forgetAnyDevice', { deviceId });
  const { device } = await call('importUserDevice', { userId }, { export: packed, passphrase });
  await call('updateAnyDevice', { deviceId: device.id }, { subscription_status: 'inactive' });
  await call('deleteAnyDevice', { deviceId: device.id });
  await call('deleteUser', { userId });
  await call('listAudit', {}, undefined, '?limit=2');
};

const webhookAndLog = async (call: Call, id: number): Promise<void> => {
  await call('getWebhook', { id });
  await call('testWebhook', { id });
  const { deliveries } = await eventually('a delivery', async () => {
    const page = await call('listDeliveries', { id }, undefined, '?state=delivered&limit=2');
    return page.deliveries.length > 0 && page;
  });
  await call('listAttempts', { id, deliveryId: deliveries[0].id });
  await call('retryDelivery', { id, deliveryId: deliveries[0].id });
  await call('retryFailedDeliveries', { id }, {});
  const { events } = await call('listEvents', { id }, undefined, '?limit=2');
  await call('getEvent', { id, eventId: events[1].id });
  await call('rotateWebhookSecret', { id });
};

/** `message.updated` has several forms; a message may have media. */
const formOf = ({ type, data }: Received['event']): string => {
  if (type === 'message.updated') return Object.keys((data as { update: object }).update)[0] ?? 'update';
  return type === 'message.received' && hasMedia(data) ? 'media' : 'recorded';
};

const webhooksOf = (received: readonly Received[]): Record<string, Answers> => {
  const kinds: Record<string, Answers> = {};
  for (const { event } of received) {
    const forms = (kinds[event.type] ??= {});
    forms[formOf(event)] ??= shortened(event);
  }
  return kinds;
};

/** An account with a passkey: its phone returns the credential, and after five minutes a person compares a code. */
const passkey = async (installation: Installation, call: Call, ahead: (ms: number) => void): Promise<void> => {
  const { phones } = installation;
  await phones.behave(bob, { linking: 'passkey' });
  const { device } = await call('createDevice', {}, { name: 'Behind a passkey' });
  const { id } = device;
  await phones.scan(bob, device.qr).catch(() => undefined);
  const until = (step: string) =>
    eventually(`the step ${step}`, async () => {
      const { status, body } = await installation.api.get(`/devices/${id}/passkey`);
      return status === 200 && body.passkey.step === step;
    });
  await until('response');
  const { options } = (await call('getPasskey', { id })).passkey;
  ahead(301_000);
  await call('respondToPasskey', { id }, await phones.passkey(bob, options));
  await until('confirm');
  await call('confirmPasskey', { id });
  await call('deleteDevice', { id });
};

const adminToken = 'an-operator-of-at-least-32-characters';
const answers: Answers = {};
const clock = shiftedClock();
await using installation = await startInstallation({ HANDSET_ADMIN_TOKEN: adminToken }, undefined, clock);
await using receiver = await startReceiver();
const until: Until = async (type, fits = () => true) =>
  (await receiver.until(1, ({ event }) => event.type === type && fits(event.data)))[0]!;
const call = recorder(() => installation.api, answers);
await installation.phones.add(ada, 'Ada');
await installation.phones.add(bob, 'Bob');
const hook = { name: 'Support', webhookUrl: `${receiver.url}/hook` };
const { device } = await call('createDevice', {}, { ...hook, phoneNumber: ada });
const { id } = device;
await call('listDevices');
await installation.phones.scan(ada, device.qr);
await until('connection.open');
await call('getDevice', { id });
await call('getSession', { id });
await call('getLimits', { id });
await call('getSettings', { id });
await call('updateSettings', { id }, { online: true });
await call('updateDevice', { id }, { name: 'Front desk' });
await converse(installation, call, id, until);
await sayMore(call, id);
await gather(installation, call, id);
await account(call);
await webhookAndLog(call, id);
clock.ahead(61_000); // Continues in the next rate limit window.
await recordStatuses(installation, call, id, bob);
await recordChannels(installation, call, id, bob);
await recordWebhooks(call, id, `${receiver.url}/more`, () => installation.phones.write(bob, { to: ada, text: 'And?' }));
await call('restartDevice', { id });
await until('connection.closed');
await eventually('the session is open again', async () => (await call('getSession', { id })).session.state === 'open');
await call('disconnectDevice', { id });
await until('connection.logout');
await installation.phones.request('PUT', '/faults', { expireQrAfterMs: 300 });
await call('restartDevice', { id }, {});
await until('connection.timeout');
await call('deleteDevice', { id });
await installation.phones.request('DELETE', '/faults');
const { device: another } = await call('createDevice', {}, { name: 'Other' });
await installation.phones.scan(ada, another.qr);
await eventually('the other device is linked', async () => {
  const { session } = await call('getSession', { id: another.id });
  return session.state === 'open';
});
const { files } = await call('releaseDevice', { id: another.id });
answers.releaseDevice = {
  files: { 'creds.json': '{"noiseKey":…}', 'pre-key-1.json': '{"private":…}' },
  status: { code: 200, message: `Device ${another.id} stopped` },
};
await call('deleteDevice', { id: another.id });
const { device: adopted } = await call('adoptDevice', {}, { name: 'Other', files });
await passkey(installation, call, clock.ahead);
const admin = recorder(() => api(`${installation.handset.url}/admin/v1`, adminToken), answers, adminOperations);
await operator(admin, adopted.id);
const next = `${JSON.stringify({ answers, webhooks: webhooksOf(receiver.received) }, null, 1)}\n`;
const before = await readFile(target, 'utf8').catch(() => '');
await writeFile(target, next);
process.stdout.write(`${Object.keys(answers).length} answers, ${before === next ? 'unchanged' : 'written'}\n`);
