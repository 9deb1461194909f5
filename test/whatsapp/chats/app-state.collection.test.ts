/** Collections of the application state as others write them: Baileys' encoder, and hostile ones. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { encodeSyncdPatch, newLTHashState, proto } from 'baileys';
import { encodePatch } from '../../../sandbox/src/phones/companions/app-state-codec.ts';
import { saidIn } from '../../../src/whatsapp/chats/app-state/actions.ts';
import { advance, type CollectionAnswer, readAnswer } from '../../../src/whatsapp/chats/app-state/collection.ts';
import { watchTurns } from '../../support/turns.ts';
import { MissingKeys } from '../../../src/whatsapp/chats/app-state/records.ts';

const key = { id: Buffer.from('000001', 'hex'), data: randomBytes(32) };
const keyId = key.id.toString('base64');
const keys = new Map([[keyId, key.data]]);
const ann = '491510000002@s.whatsapp.net';
const { SET, REMOVE } = proto.SyncdMutation.SyncdOperation;

const answer = (patches: readonly proto.ISyncdPatch[]): CollectionAnswer => ({
  name: 'regular_high',
  snapshot: null,
  patches,
  hasMore: false,
});

/** One after the other, by Baileys. */
const byBaileys = async (
  given: readonly { readonly muted: boolean; readonly operation: number; readonly chat?: string }[],
) => {
  let state = newLTHashState();
  const patches: proto.ISyncdPatch[] = [];
  for (const { muted, operation, chat = ann } of given) {
    const written = await encodeSyncdPatch(
      {
        type: 'regular_high',
        index: ['mute', chat],
        syncAction: { timestamp: 1, muteAction: { muted, muteEndTimestamp: 5_000 } },
        apiVersion: 2,
        operation,
      },
      keyId,
      state,
      async () => ({ keyData: key.data }),
    );
    state = written.state;
    patches.push({ ...written.patch, version: { version: state.version } });
  }
  return { patches, state };
};

test('patches that Baileys writes are followed to the same hash', async () => {
  const { patches, state } = await byBaileys([
    { muted: true, operation: SET },
    { muted: false, operation: SET },
    { muted: true, operation: SET },
  ]);
  const advanced = await advance(answer(patches), null, keys);
  assert.deepEqual(Buffer.from(advanced.state.hash), Buffer.from(state.hash));
  assert.equal(advanced.state.version, 3);
  assert.deepEqual(
    saidIn(advanced.mutations).changes.map(({ value }) => value),
    [{ until: 5_000 }, null, { until: 5_000 }],
  );
  // In two steps it is the same.
  const first = await advance(answer(patches.slice(0, 1)), null, keys);
  const second = await advance(answer(patches), first.state, keys);
  assert.deepEqual(Buffer.from(second.state.hash), Buffer.from(state.hash));
  assert.equal(second.isReset, false);
});

test('a patch that is not as its writer made it counts for nothing', async () => {
  const { patches } = await byBaileys([
    { muted: true, operation: SET },
    { muted: true, operation: SET, chat: '120363000000000001@g.us' },
  ]);
  const [first, second] = patches;
  const flipped = (bytes: Uint8Array): Uint8Array => {
    const copy = Buffer.from(bytes);
    copy[0]! ^= 1;
    return copy;
  };
  const { record } = first!.mutations![0]!;
  const wrongValue = { ...record, value: { blob: flipped(record!.value!.blob!) } };
  const hostile: readonly proto.ISyncdPatch[] = [
    { ...first, patchMac: flipped(first!.patchMac!) },
    { ...first, snapshotMac: flipped(first!.snapshotMac!) },
    { ...first, mutations: [] },
    { ...first, mutations: [{ operation: REMOVE, record: record! }] },
    { ...first, mutations: [{ operation: SET, record: wrongValue }] },
    { ...first, mutations: [{ operation: SET, record: {} }] },
    { version: { version: 1 }, keyId: { id: key.id } },
  ];
  for (const patch of hostile) await assert.rejects(advance(answer([patch]), null, keys));
  // One that is left out shows in the hash of the next.
  await assert.rejects(advance(answer([second!]), null, keys), /different state/);
  await assert.rejects(advance(answer([first!]), null, new Map()), MissingKeys);
});

test('what a snapshot holds and nobody can open is passed over', async () => {
  const { patches } = await byBaileys([{ muted: true, operation: SET }]);
  const { record } = patches[0]!.mutations![0]!;
  const broken = { ...record, value: { blob: randomBytes(80) } };
  const snapshot = { version: { version: 7 }, records: [broken, record!], mac: randomBytes(32), keyId: { id: key.id } };
  const advanced = await advance({ ...answer([]), snapshot }, null, keys);
  assert.equal(advanced.isPartial, true);
  assert.equal(advanced.state.version, 7);
  assert.equal(saidIn(advanced.mutations).changes.length, 1);
});

test('a mute until a time beyond all dates has no end', () => {
  const value = proto.SyncActionValue.encode({ muteAction: { muted: true, muteEndTimestamp: 8.64e15 + 1 } }).finish();
  const [change] = saidIn([{ index: ['mute', ann], value, removed: false }]).changes;
  assert.deepEqual(change, { kind: 'mute', jid: ann, value: { until: null } });
});

test('thousands of mutations leave others their turn, and a hundred thousand are refused', async () => {
  const value = proto.SyncActionValue.encode({ muteAction: { muted: true, muteEndTimestamp: 5 } }).finish();
  const written = (count: number): CollectionAnswer => {
    const mutations = Array.from({ length: count }, (_, n) => {
      return { index: ['mute', `${n}@g.us`], value, version: 2, remove: false };
    });
    const patch: proto.ISyncdPatch = proto.SyncdPatch.decode(
      encodePatch('regular_high', newLTHashState(), mutations, key).patch,
    );
    patch.version = { version: 1 };
    return answer([patch]);
  };
  const many = written(5_000);
  let turns = 0;
  let counting: NodeJS.Immediate | null = null;
  const count = (): void => {
    turns += 1;
    counting = setImmediate(count);
  };
  count();
  const { mutations } = await advance(many, null, keys);
  clearImmediate(counting!);
  assert.equal(saidIn(mutations).changes.length, 5_000);
  assert.ok(turns >= 10, `others had ${turns} turns`);
  const [patch] = written(1).patches;
  const hostile = { ...patch, mutations: Array.from({ length: 100_000 }, () => patch!.mutations![0]!) };
  await assert.rejects(advance(answer([hostile]), null, keys), /More than 50000 records/);
  const records = hostile.mutations.map(({ record }) => record!);
  await assert.rejects(advance({ ...answer([]), snapshot: { records } }, null, keys), /More than 50000 records/);
});

test('files of records that are dear to decode are refused before they are decoded', async () => {
  using turns = watchTurns();
  const reference = { tag: 'snapshot', attrs: {}, content: Uint8Array.of(0x0a, 0) };
  const patch = proto.SyncdPatch.encode({ externalMutations: {} }).finish();
  const mega = 1_048_576;
  // Records of two bytes, and one of as many fields.
  const records = Buffer.alloc(20 * mega, Buffer.from([0x12, 0]));
  const mutations = Buffer.alloc(20 * mega, Buffer.from([0x0a, 0]));
  const long = proto.SyncdSnapshot.encode({ records: [{ value: { blob: Buffer.alloc(mega) } }] }).finish();
  for (const [content, file] of [
    [[reference], records],
    [[reference], long],
    [[{ tag: 'patch', attrs: {}, content: patch }], mutations],
    [[{ tag: 'patch', attrs: {}, content: records.subarray(0, 8 * mega) }], mutations],
  ] as const) {
    const node = { tag: 'collection', attrs: {}, content: [...content] };
    turns.longestMs();
    await assert.rejects(
      readAnswer(node, 'regular', async () => Buffer.from(file)),
      /records|too long/,
    );
    const longest = turns.longestMs();
    assert.ok(longest < 150, `a turn took ${longest.toFixed(0)} ms`);
  }
});
