/** `npm run examples:kinds`: a phone of the sandbox sends every kind of message to a device, and docs/receiving.md shows the events. */
import { readFile, writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { allKinds, type AnyKind, type EventEnvelope, eventKinds } from '../src/domain/event.ts';
import { type MessageType, messageTypes } from '../src/domain/messages/parts.ts';
import { linkDevice } from '../test/flows/steps.ts';
import { cases, file, imageBase64 } from '../test/sandbox/kinds/cases.ts';
import { startInstallation } from '../test/support/installation.ts';
import { sample } from '../test/support/media.ts';
import { type Received, startReceiver } from '../test/support/receiver.ts';
import { eventually } from '../test/support/wait.ts';
import { between, shortened } from './examples.ts';
import { recordChannelKinds } from './record-channels.ts';
import { untilStatus } from './record-resources.ts';

type Body = Readonly<Record<string, unknown>>;
interface Told {
  readonly messageId: string;
  readonly message: Body;
  readonly update: { readonly message?: Body };
}

const page = new URL('../docs/receiving.md', import.meta.url);
const width = 118;
const alice = '491510000001';
const bob = '491510000002';

const about: Readonly<Record<MessageType, string>> = {
  text: 'A text, or the reply to a button, a list or a template.',
  image: 'A picture; of all files `text` is the caption.',
  video: 'A video, also one that plays as a GIF or as a round note.',
  audio: 'A recording, or an audio file.',
  document: 'A file of any other type.',
  sticker: 'A sticker.',
  location: 'A place, or a live location (`live`).',
  contact: 'One contact or several.',
  poll: 'A poll. `GET …/messages/{messageId}/poll` returns the tally.',
  event: 'An event that people are invited to.',
  groupInvite: 'An invitation to a group.',
  album: 'Images and videos follow, as messages of their own.',
  order:
    'The cart that a customer sends from a catalog. Its lines follow in `message.updated`: the network tells them when asked, once for each order, and never for those of the history.',
  product: 'A product of a catalog.',
  payment: 'A payment or a request for one, with its note alone.',
  callLog: 'A line about a call.',
  system: 'A line that the apps of the network write themselves.',
  unknown:
    'A kind that this version does not know, or a message [without its content](#messages-without-their-content).',
};

const more: readonly { readonly name: string; readonly body: Body }[] = [
  { name: 'an image', body: { imageBase64, caption: 'our office' } },
  { name: 'a video', body: { videoBase64: file, caption: 'our office', seconds: 5, width: 320, height: 200 } },
  { name: 'an audio file', body: { audioBase64: file, seconds: 3 } },
  { name: 'an album', body: { album: [{ imageBase64 }, { videoBase64: file }] } },
  {
    name: 'an image of an album',
    body: {
      message: {
        imageMessage: { caption: 'our office', mimetype: 'image/png' },
        messageContextInfo: {
          messageAssociation: { associationType: 1, parentMessageKey: { id: '3A9D9A9FC43C85DCAA4C', fromMe: true } },
        },
      },
    },
  },
  {
    name: 'an image in HD of a message that is not known',
    body: {
      message: {
        imageMessage: { mimetype: 'image/png' },
        messageContextInfo: {
          messageAssociation: { associationType: 10, parentMessageKey: { id: '3A9D9A9FC43C85DCAA4C', fromMe: true } },
        },
      },
    },
  },
  { name: 'a kind that is not known', body: { message: { placeholderMessage: {} } } },
  {
    name: 'a view-once message, which the network withholds',
    body: { text: 'x', withheld: 'viewOnce' },
  },
];

const hidden = new Set([
  'id',
  'from',
  'isGroup',
  'messageId',
  'chat',
  'chatNumber',
  'chatLid',
  'fromNumber',
  'fromLid',
  'pushName',
  'timestamp',
]);

/** Drops empty fields. */
const setMembers = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(setMembers);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, setMembers(member)] as const);
  return Object.fromEntries(
    members.filter(
      ([, member]) => member !== null && member !== false && !(Array.isArray(member) && member.length === 0),
    ),
  );
};

/** Drops the addresses of the message. */
const contentOf = (message: Body): Body =>
  Object.fromEntries(Object.entries(message).filter(([name]) => !hidden.has(name)));

/** Fills lines as far as possible. */
const print = (value: unknown): string => {
  const tokens = JSON.stringify(setMembers(shortened(value)), null, 1).split(/\n */);
  const lines = [''];
  for (const [index, token] of tokens.entries()) {
    const line = lines.at(-1)!;
    const isTight = index === 0 || /[{[]$/.test(line) || /^[}\]]/.test(token);
    // An opening bracket stays with its first field.
    const length = token.length + (/[{[]$/.test(token) ? tokens[index + 1]!.length : 0);
    if (!isTight && line.length + length >= width) lines.push(`  ${token}`);
    else lines[lines.length - 1] = `${line}${isTight ? '' : ' '}${token}`;
  }
  return lines.join('\n');
};

const block = (examples: readonly (readonly [name: string, value: unknown])[]): string =>
  `\`\`\`jsonc\n${examples.map(([name, value]) => `// ${name}\n${print(value)}`).join('\n')}\n\`\`\``;

await using installation = await startInstallation();
await using receiver = await startReceiver();
const { phones, api } = installation;
await phones.add(alice, 'Alice');
await phones.add(bob, 'Bob');
const group = await phones.request<{ jid: string }>('POST', '/groups', {
  subject: 'Friends',
  owner: bob,
  participants: [alice],
});
const id = await linkDevice(installation, alice, { webhookUrl: `${receiver.url}/hook` });

const told = async (type: EventEnvelope['type'], fits: (data: Told) => boolean): Promise<Told> => {
  const [first] = await receiver.until(1, ({ event }) => event.type === type && fits(event.data as Told));
  return first!.event.data as Told;
};
const write = async (body: Body): Promise<string> => (await phones.write(bob, { to: alice, ...body }))[0]!;
const received = async (messageId: string): Promise<Body> => {
  const data = await told('message.received', ({ message }) => message['id'] === messageId);
  return contentOf(data.message);
};
const updated = async (messageId: string, member: string): Promise<Body> => {
  const { update } = await told('message.updated', (data) => data.messageId === messageId && member in data.update);
  const { message, ...other } = update;
  return { update: message === undefined ? other : { message: contentOf(message) } };
};
const act = (messageId: string, what: string, body: Body = {}): Promise<unknown> =>
  phones.request('POST', `/phones/${bob}/messages/${messageId}/${what}`, body);

const examples: [string, Body][] = [];
const text = await write({ text: 'hello' });
examples.push(['a text', await received(text)]);
examples.push(['a reply', await received(await write({ text: 'are you there?', quotedMessageId: text }))]);
// The real network withholds view-once messages.
const written = [...more, ...cases].filter(({ body }) => body['viewOnce'] !== true);
for (const { name, body } of written) examples.push([name, await received(await write(body))]);
const all = await write({ to: group.jid, text: '@all lunch is ready', mentionAll: true });
examples.push(['a mention of everybody in a group', await received(all)]);
const waiting = await write({ text: 'is it still for sale?', withheld: 'waiting' });
examples.push(['a message whose content is yet to come', await received(waiting)]);

const updates: [string, Body][] = [['its content arrived', await updated(waiting, 'message')]];
const change = async (name: string, messageId: string, member: string, what: string, body: Body): Promise<void> => {
  await act(messageId, what, body);
  updates.push([name, await updated(messageId, member)]);
};
const poll = await write({ poll: { question: 'Lunch?', options: ['yes', 'no'] } });
const event = { name: 'Party', startsAt: '2027-01-01T20:00:00Z' };
const party = await write({ event });
await change('an edit', text, 'text', 'edit', { text: 'hello!' });
await change('an edit of an event', party, 'event', 'edit', { event: { ...event, place: 'Garden' } });
const hdBase64 = (await sharp(sample('picture.png')).resize(400).png().toBuffer()).toString('base64');
const [wall] = await phones.write(bob, { to: alice, imageBase64, hdBase64 });
updates.push(['an image in HD', await updated(wall!, 'media')]);
const lines = [{ id: 'p1', name: 'Cake', quantity: 2, price: 20 }];
const order = await write({ order: { id: 'o1', title: 'Shop', items: 2, lines, total: 40, currency: 'EUR' } });
updates.push(['the lines of an order', await updated(order, 'order')]);
await change('a reaction', text, 'reaction', 'react', { emoji: '👍' });
await change('a vote', poll, 'votes', 'vote', { options: ['yes'] });
await change('an answer to an event', party, 'response', 'respond', { answer: 'going' });
await change('a pin', text, 'pinned', 'pin', { pinned: true });
await phones.request('POST', `/phones/${alice}/labels`, { name: 'Parcels' });
await phones.request('POST', `/phones/${alice}/messages/${text}/labels`, { labels: ['1'] });
updates.push(['labels', await updated(text, 'labels')]);
await phones.request('PATCH', `/phones/${bob}/chats/${alice}`, { expiresInSeconds: 86_400 });
const timer = await told('message.updated', ({ update }) => 'expiresInSeconds' in update);
updates.push(['a timer of the chat', { update: timer.update }]);
for (const [name, to] of Object.entries({
  'a receipt': { toNumber: bob },
  'a receipt in a group': { to: group.jid },
})) {
  const { messageId } = (await api.post(`/devices/${id}/messages/text`, { ...to, message: 'hello' })).body;
  updates.push([name, await updated(messageId, 'status')]);
}
await act(text, 'revoke');
const deleted = await told('message.deleted', ({ messageId }) => messageId === text);
// Changes of a group by its owner, and the device's events.
const carol = '491510000003';
await phones.add(carol, 'Carol');
const groupKinds = ['group.joined', 'group.updated', 'group.left'] as const;
const ofGroup = async (): Promise<readonly (readonly [type: string, data: Body])[]> => {
  const { events } = (await api.get(`/devices/${id}/events?types=${groupKinds.join()}&limit=1000`)).body;
  return events.map(({ type, data }: { type: string; data: Body }) => [type, data] as const);
};
const { jid: joined } = await phones.request<{ jid: string }>('POST', '/groups', {
  subject: 'Tea',
  owner: bob,
  participants: [alice],
});
const groupChanges: readonly Body[] = [
  { subject: 'Coffee' },
  { description: 'All of coffee' },
  { announceOnly: true },
  { memberAddMode: 'admins' },
  { add: [carol] },
  { promote: [carol] },
  { remove: [carol] },
  { pictureBase64: imageBase64 },
  { community: 'Town' },
];
for (const body of groupChanges) await phones.request('PATCH', `/groups/${joined}`, body);
const dave = '491510000004';
await phones.add(dave, 'Dave');
await phones.add('491510000005', 'Dave, abroad');
await phones.request('PATCH', `/groups/${joined}`, { add: [dave] });
await phones.request('POST', `/phones/${dave}/move-groups`, { to: '491510000005' });
await phones.request('PATCH', `/groups/${joined}`, { remove: [alice] });
const groupEvents = await eventually('all of the group', async () => {
  const events = (await ofGroup()).filter(([, data]) => data['group'] === joined);
  return events.some(([type]) => type === 'group.left') && events;
});

// Events of the account, its chats and its people, from an account-wide webhook.
const wanted = allKinds.filter((kind) => !kind.startsWith('group.') && !eventKinds.some((own) => own === kind));
await api.post('/webhooks', { url: `${receiver.url}/account`, events: wanted, settleSeconds: 1 });
const accountExamples: [string, Body][] = [];
/** The next event of this kind after the actions. */
const record = async (kind: AnyKind, acts: () => Promise<unknown>): Promise<void> => {
  const fits = ({ path, event: { type } }: Received) => path === '/account' && type === kind;
  const before = receiver.received.filter(fits).length;
  await acts();
  const posts = await receiver.until(before + 1, fits);
  accountExamples.push([kind, posts.at(-1)!.event.data as Body]);
};
const ofPhone = (method: string, path: string, body: Body) => phones.request(method, `/phones${path}`, body);
await record('chat.presence', () => api.put(`/devices/${id}/settings`, { presence: [bob] }));
await record('chat.settled', () => write({ text: 'Are you there?' }));
await record('chat.updated', () => ofPhone('PATCH', `/${alice}/chats/${bob}`, { archived: true }));
await record('chat.cleared', () => ofPhone('POST', `/${alice}/chats/${bob}/clear`, { keepStarred: true }));
await record('chat.deleted', () => ofPhone('DELETE', `/${alice}/chats/${bob}`, {}));
await record('contact.updated', () => ofPhone('PUT', `/${alice}/contacts/${bob}`, { name: 'Bob from work' }));
await record('label.updated', () => ofPhone('POST', `/${alice}/labels`, { name: 'Parcels', color: 4 }));
await write({ text: 'hello again' });
await record('history.loaded', () => api.post(`/devices/${id}/chats/${bob}/history`, { count: 1 }));
await api.put(`/devices/${id}/settings`, { statuses: 'received' });
const posted = { messageId: '' };
const post = { text: 'On the beach', background: '#1f7aec', font: 2, to: [alice] };
await record('status.received', async () => Object.assign(posted, await ofPhone('POST', `/${bob}/status`, post)));
await record('status.deleted', () => ofPhone('DELETE', `/${bob}/status/${posted.messageId}`, {}));
await record('status.viewed', async () => {
  const { statusId } = (await api.post(`/devices/${id}/status`, { text: 'Open until ten', audience: 'contacts' })).body;
  await untilStatus(phones, bob, statusId);
  await ofPhone('POST', `/${bob}/status/${statusId}/view`, {});
});
await recordChannelKinds(record, installation, id, bob);
await record('account.limited', () => phones.faults({ timeLock: { seconds: 86_400 } }));
await record('device.created', () => api.post('/devices', { name: 'Sales' }));
await record('device.deleted', () => api.delete(`/devices/${id + 1}`));
const sections = messageTypes.map((type) => {
  const ofType = examples.filter(([, message]) => message['type'] === type);
  return `### ${type}\n\n${about[type]}\n\n${block(ofType)}`;
});
sections.push(`### Updates\n\n${block([...updates, ['message.deleted', contentOf({ ...deleted })]])}`);
// The first in full, of the others only the change.
const groupExamples = groupEvents.map(([type, data], index): [string, Body] => {
  const done = data['change'] as Body | undefined;
  if (done === undefined || index === 1) return [type, data];
  return [`${type}: ${Object.keys(done).join()}`, { change: done }];
});
const aboutGroups =
  'Changes of a group, whoever makes them. They are in the log and the streams, and not posted to `webhookUrl`.';
sections.push(`### Groups\n\n${aboutGroups}\n\n${block(groupExamples)}`);
const aboutAccount =
  'What happens to the account, its chats, its people and its devices. It is posted to additional webhooks, and to account-wide ones alone what happens to devices.';
sections.push(`### Account\n\n${aboutAccount}\n\n${block(accountExamples)}`);
const marks = ['<!-- kinds: npm run examples:kinds -->', '<!-- end of kinds -->'] as const;
await writeFile(page, between(await readFile(page, 'utf8'), ...marks, sections.join('\n\n')));
