/** The bridge's memory lives outside the garbage collector's reach: what an operation takes, it must give back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Construct = new (...given: readonly unknown[]) => { readonly exports: { readonly memory?: unknown } };
/** The types of a browser's globals are not loaded. */
const wasm: { Instance: Construct } = Reflect.get(globalThis, 'WebAssembly');

/** The linear memories of the modules that are instantiated until `stop`. */
const watchMemories = (): { readonly bytes: () => number; readonly stop: () => void } => {
  const memories: { readonly buffer: ArrayBuffer }[] = [];
  const { Instance } = wasm;
  wasm.Instance = new Proxy(Instance, {
    construct(target, args) {
      const instance = new target(...args);
      const { memory } = instance.exports;
      if (typeof memory === 'object' && memory !== null && 'buffer' in memory) {
        memories.push({
          get buffer() {
            assert.ok(memory.buffer instanceof ArrayBuffer);
            return memory.buffer;
          },
        });
      }
      return instance;
    },
  });
  return {
    bytes: () => memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0),
    stop: () => {
      wasm.Instance = Instance;
    },
  };
};

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const heapUsed = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

test('20,000 operations leave the memory of the bridge as it was', async () => {
  const memories = watchMemories();
  const { decrypt, encrypt, establish, memoryStore, ourParty } = await import('./support.ts');
  memories.stop();
  const [a, b] = [memoryStore(), memoryStore()];
  const [ours, theirs] = [ourParty('1000@lid', { store: a }), ourParty('2000@lid', { store: b })];
  const group = '1@g.us';
  await establish(ours, theirs);
  const introduction = await ours.repository.getSenderKeyDistributionMessage({ group, meId: ours.jid });
  const item = { groupId: group, axolotlSenderKeyDistributionMessage: introduction };

  /** A hundred operations: messages, an answer, failures, a group message and its introduction. */
  const round = async (): Promise<void> => {
    for (let i = 0; i < 45; i += 1) await decrypt(theirs, ours, await encrypt(ours, theirs, 'there'));
    const last = await encrypt(theirs, ours, 'and back');
    await decrypt(ours, theirs, last);
    a.inbox.clear();
    for (let i = 0; i < 4; i += 1) await assert.rejects(decrypt(ours, theirs, last));
    const { ciphertext } = await ours.repository.encryptGroupMessage({ group, meId: ours.jid, data: Buffer.from('x') });
    await theirs.repository.processSenderKeyDistributionMessage({ item, authorJid: ours.jid });
    await theirs.repository.decryptGroupMessage({ group, authorJid: ours.jid, msg: ciphertext });
    await theirs.repository.hasOpenSession(ours.jid);
    for (const store of [a, b]) {
      store.commits.length = 0;
      store.inbox.clear();
    }
  };

  for (let i = 0; i < 20; i += 1) await round();
  const wasmBefore = memories.bytes();
  assert.ok(wasmBefore > 0, 'the memory of the bridge is not seen');
  const growths: number[] = [];
  for (let part = 0; part < 5; part += 1) {
    const heapBefore = heapUsed();
    for (let i = 0; i < 40; i += 1) await round();
    growths.push(heapUsed() - heapBefore);
  }
  assert.equal(memories.bytes(), wasmBefore);
  // V8 compiles functions and drops their code at any time, up to 6 MB at once; a leak shows in most parts.
  const median = growths.toSorted((x, y) => x - y)[2] ?? NaN;
  assert.ok(median < 200_000, `4,000 operations grow the heap by ${growths.join(', ')} bytes`);
});
