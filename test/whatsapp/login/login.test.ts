/** After a login, the queries leave together, missing prekeys are published, and nothing happens after the end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  INITIAL_PREKEY_COUNT,
  MIN_PREKEY_COUNT,
} from 'baileys';
import { manualClock } from '../../support/clock.ts';
import { makeLog } from '../../../src/log.ts';
import { setFacts, isEnabled } from '../../../src/whatsapp/identity/account.ts';
import { attachLogin, type LoginParts } from '../../../src/whatsapp/login/login.ts';
import { Queries } from '../../../src/whatsapp/socket/query.ts';
import { strictStanzas } from '../socket/strict-stanzas.ts';
import { newCredentials } from '../../../src/whatsapp/signal/credentials.ts';

const me = { id: '4915550001111:7@s.whatsapp.net', lid: '99000:7@lid', name: 'Ada' };
const child = (answer: string, tag: string, attrs: Record<string, string> = {}): [string, BinaryNode[]] => [
  answer,
  [{ tag, attrs }],
];

const start = ({ published = 30, stored = true, lid = me.lid } = {}) => {
  const counters = { nextPreKeyId: 31, firstUnuploadedPreKeyId: 31 };
  const creds = { ...newCredentials(), me: { ...me, lid }, ...counters };
  setFacts(creds, { properties: { hash: 'same', values: { 14303: true } } });
  const told: string[] = [];
  const whenEnded = new Set<() => void>();
  const [writes, uploads, kept]: [BinaryNode[][], number[], unknown[]] = [[], [], []];
  const queries = new Queries((nodes) => void writes.push([...nodes]));
  const stanzas = strictStanzas();
  const sock = {
    stanzas,
    isOpen: true,
    creds,
    emit: (name: string) => void told.push(name),
    update: () => void told.push('credentials'),
    askTogether: (questions: readonly BinaryNode[]) => queries.askTogether(questions),
    query: async (node: BinaryNode) => {
      uploads.push(getBinaryNodeChildren(getBinaryNodeChild(node, 'list'), 'key').length);
    },
  };
  const repository = { migrateSession: async (...pair: string[]) => void kept.push(pair) };
  const lidMapping = { storeLIDPNMappings: async (pairs: unknown) => void kept.push(pairs) };
  const keys = { set: async (data: unknown) => void kept.push(data) };
  const unifiedSession = { learn: () => undefined, tell: () => undefined };
  const store = {
    readKeys: async () => new Map(stored ? [['30', new Uint8Array(1)]] : []),
    commit: async () => undefined,
  };
  const clock = manualClock();
  const base = { whenEnded, deviceId: 1, creds, store, clock, log: makeLog('silent') };
  const parts = { ...base, sock, repository, lidMapping, keys, unifiedSession };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only what a login uses of a socket
  attachLogin(parts as unknown as LoginParts);
  const answers: Record<string, [string, BinaryNode[]]> = {
    count: child('result', 'count', { value: String(published) }),
    digest: child('result', 'digest'),
    props: child('result', 'props', { hash: 'same' }),
  };
  const answer = (nodes: readonly BinaryNode[]): void => {
    for (const { attrs, content } of nodes) {
      const [type, inside] = answers[(content as BinaryNode[] | undefined)?.[0]?.tag ?? ''] ?? ['result', []];
      queries.take({ tag: 'iq', attrs: { id: attrs['id']!, type }, content: inside });
    }
  };
  const succeed = async (): Promise<void> => stanzas.dispatch({ tag: 'success', attrs: { lid: me.lid } });
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const end = (): void => {
    sock.isOpen = false;
    queries.end(new Error('the connection was lost'));
    for (const tell of whenEnded) tell();
  };
  return { writes, uploads, kept, told, answers, answer, succeed, settled, end, queries, whenEnded, creds };
};

const asked = (nodes: readonly BinaryNode[] = []): unknown[] =>
  nodes.map(({ attrs, content }) => (content as BinaryNode[] | undefined)?.[0]?.tag ?? attrs['xmlns']);
const open = 'open';

test('a login: one write asks what Baileys asks one after the other, and with the answers the connection is open', async () => {
  const login = start();
  await login.succeed();
  assert.deepEqual(login.writes.map(asked), [['count', 'digest', 'active']]);
  await login.settled();
  assert.deepEqual(login.told, [], 'not before the answers');
  login.answer(login.writes[0]!);
  await login.settled();
  assert.deepEqual(asked(login.writes[1]), ['props', 'blocklist', 'privacy']);
  login.answer(login.writes[1]!);
  await login.settled();
  assert.deepEqual([login.told, login.uploads], [[open], []], 'nothing is new, so nothing is written');
  assert.deepEqual(login.kept, [
    [{ lid: me.lid, pn: me.id }],
    { 'device-list': { '4915550001111': ['7'] } },
    [me.id, me.lid],
  ]);
  assert.deepEqual([login.queries.open, login.whenEnded.size], [0, 1], 'nothing but the signed prekey waits');
});

for (const [what, given, digest, count] of [
  ['few are left', { published: MIN_PREKEY_COUNT }, 'digest', MIN_PREKEY_COUNT],
  ['none is left', { published: 0 }, 'digest', INITIAL_PREKEY_COUNT],
  ['the newest is not in the store', { stored: false }, 'digest', MIN_PREKEY_COUNT],
  ['the network does not know them', {}, 'nothing', MIN_PREKEY_COUNT],
] as const) {
  test(`a login: prekeys are published where ${what}`, async () => {
    const login = start(given);
    login.answers['digest'] = child('result', digest);
    await login.succeed();
    login.answer(login.writes[0]!);
    await login.settled();
    assert.deepEqual([login.uploads, login.told], [[count], [open]]);
  });
}

test('a login: what the network tells anew is kept', async () => {
  const login = start({ lid: '1:7@lid' });
  login.answers['props'] = ['result', [{ tag: 'props', attrs: { hash: 'other' }, content: [] }]];
  const props = login.answers['props'][1][0]!;
  props.content = [{ tag: 'prop', attrs: { config_code: '10518', config_value: '0' } }];
  await login.succeed();
  login.answer(login.writes[0]!);
  await login.settled();
  login.answer(login.writes[1]!);
  await login.settled();
  assert.deepEqual(login.told, ['credentials', 'open', 'credentials']);
  assert.deepEqual([isEnabled(login.creds, 10518), isEnabled(login.creds, 14303)], [false, true]);
});

test('a login: a connection that ends before the answers is never open', async () => {
  const login = start();
  await login.succeed();
  login.end();
  await login.settled();
  assert.deepEqual([login.told, login.writes.length, login.kept], [[], 1, []]);
});
