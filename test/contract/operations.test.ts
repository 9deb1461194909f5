/** Every declaration, walked: so that the next one cannot forget what a key may do, or what its command is. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { membersOf } from '../../src/contract/build.ts';
import { type Declaration, usageOf } from '../../src/contract/operation.ts';
import { adminOperations, operations } from '../../src/contract/operations/all.ts';
import { commandTable, target } from '../../tools/command-table.ts';

const all = [...operations, ...adminOperations];

test('ids are unique, and so are method and path', () => {
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
  for (const list of [operations, adminOperations])
    assert.equal(new Set(list.map(({ method, path }) => `${method} ${path}`)).size, list.length);
});

/** Reads that need more than `read`, each for its reason. */
const guardedReads: Readonly<Record<string, string>> = {
  getPasskey: 'gives a one-time token',
  lookUpNumbers: 'asks the network about strangers, who are few a day',
  getWebhook: 'gives the secret',
  getAdditionalWebhook: 'gives the secret',
  listKeys: "the user's own keys",
  listAccountWebhooks: "the user's own webhooks",
  getAccountWebhook: 'gives the secret',
  listAccountWebhookDeliveries: "the user's own webhooks",
  listAccountWebhookAttempts: "the user's own webhooks",
};

test('whoever may only read changes nothing, and whoever may only send changes no device', () => {
  for (const { id, effect, action, path } of operations) {
    assert.notEqual(action, 'operator', id);
    if (effect !== 'reads') assert.notEqual(action, 'read', id);
    if (effect === 'sends') assert.equal(action, 'send', id);
    assert.equal(effect === 'reads' && action !== 'read' && action !== 'any', id in guardedReads, id);
    if (/^\/(?:keys|webhooks)/.test(path)) assert.equal(action, 'admin', id);
  }
  for (const { id, action } of adminOperations) assert.equal(action, 'operator', id);
});

test('what is read is a GET, and what is a GET is only read', () => {
  for (const { id, effect, method } of all) assert.equal(effect === 'reads', method === 'GET', id);
});

/** Typed in another form than the member that they become, or not for the service. */
const typedOtherwise = {
  adoptDevice: 'folder|file',
  releaseDevice: 'folder',
  sendMedia: 'image',
  sendDocument: 'document',
  sendVideo: 'video',
  sendAudio: 'audio',
  sendSticker: 'sticker',
  sendContact: 'name number',
  postStatus: 'content',
  setReaction: 'emoji',
  setStatusReaction: 'emoji',
  setChannelReaction: 'emoji',
  getMessageMedia: 'file',
  getStatusMedia: 'file',
  markRead: 'messageId',
  getContactPicture: 'file',
  getGroupPicture: 'file',
  addMembers: 'person',
  setAdmin: 'state',
  decideRequest: 'decision',
  previewInvite: 'invite',
  exportAnyDevice: 'file',
  importUserDevice: 'file',
  startCapture: 'file',
  getCapture: 'file',
  stopCapture: 'file',
} as const satisfies Readonly<Record<string, string>>;

const namesOf = ({ id, path, tag, body, query }: Declaration): readonly string[] => [
  // `all` names the webhooks of the account.
  ...(tag === 'Webhooks' ? ['device'] : []),
  ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
    name === 'id' || name === 'deviceId' ? 'device' : name.replace(/Id$/, ''),
  ),
  ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
  ...membersOf(body?.schema),
  ...membersOf(query),
  ...(Object.entries(typedOtherwise)
    .find(([operation]) => operation === id)?.[1]
    .split(' ') ?? []),
];

test('a positional is a part of the path, or a member of body or query', () => {
  for (const operation of all) {
    const { id, command } = operation;
    if (command === null) continue;
    const { words, positionals } = usageOf(command);
    assert.match(words, /^[a-z]+(?: [a-z-]+)?$/, id);
    for (const { name } of positionals) assert.ok(namesOf(operation).includes(name), `${id}: ${name}`);
    const optional = positionals.findIndex((one) => one.optional);
    assert.ok(optional === -1 || positionals.slice(optional).every((one) => one.optional), id);
  }
});

test('the table of the command line is up to date', async () => {
  // Otherwise: npm run -s commands
  assert.equal(await readFile(target, 'utf8'), commandTable());
});

test('usage is words, then positionals, then a flag', () => {
  assert.deepEqual(usageOf('chat read <device> <chat> [messageId]'), {
    words: 'chat read',
    positionals: [
      { name: 'device', optional: false },
      { name: 'chat', optional: false },
      { name: 'messageId', optional: true },
    ],
    flag: null,
  });
  assert.deepEqual(usageOf('key list --all'), { words: 'key list', positionals: [], flag: 'all' });
});

test('every operation says what it does beyond its title', () => {
  for (const { id, summary, description = '' } of all)
    assert.ok(description.length > 10 && description !== summary, id);
});
