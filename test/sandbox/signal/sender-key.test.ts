/** The phones' own sender keys, against those of the bridge that Baileys brings. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  GroupCipher,
  GroupSessionBuilder,
  ProtocolAddress,
  SenderKeyDistributionMessage,
  SenderKeyName,
  type SignalStorage,
} from 'whatsapp-rust-bridge';
import { readSenderKey, SenderKey, writeSenderKey } from '../../../sandbox/src/signal/sender-key.ts';

/** One member's view of one sender key. */
interface Member {
  distribution(): Promise<Uint8Array>;
  accept(distribution: Uint8Array): Promise<void>;
  encrypt(plaintext: Uint8Array): Promise<Uint8Array>;
  decrypt(body: Uint8Array): Promise<Uint8Array>;
  /** Goes on from what it would have kept on disk. */
  restart(): void;
}

const own = (): Member => {
  let key = new SenderKey();
  return {
    distribution: async () => key.distribution(),
    accept: async (distribution) => key.accept(distribution),
    encrypt: async (plaintext) => key.encrypt(plaintext),
    decrypt: async (body) => key.decrypt(body),
    restart: () => {
      key = readSenderKey(writeSenderKey(key));
    },
  };
};

const none = (): never => {
  throw new Error('nobody needs this');
};

const bridge = (): Member => {
  let record: Uint8Array | null = null;
  const storage: SignalStorage = {
    loadSession: none,
    storeSession: none,
    getOurIdentity: none,
    getOurRegistrationId: none,
    isTrustedIdentity: none,
    loadPreKey: none,
    removePreKey: none,
    loadSignedPreKey: none,
    loadSenderKey: () => record,
    storeSenderKey: (_name, bytes) => {
      record = bytes;
    },
  };
  const address = ProtocolAddress.from('1000_1.0');
  const name = new SenderKeyName('group', address);
  const cipher = (): GroupCipher => new GroupCipher(storage, 'group', address);
  return {
    distribution: async () => (await new GroupSessionBuilder(storage).create(name)).serialize(),
    accept: (bytes) => new GroupSessionBuilder(storage).process(name, SenderKeyDistributionMessage.deserialize(bytes)),
    encrypt: (plaintext) => cipher().encrypt(plaintext),
    decrypt: (body) => cipher().decrypt(body),
    // What the bridge has written is read and written by us in between.
    restart: () => {
      record = record && writeSenderKey(readSenderKey(record));
    },
  };
};

for (const [name, writer, reader] of [
  ['we write', own, bridge],
  ['the bridge writes', bridge, own],
  ['both are ours', own, own],
] as const) {
  test(`${name}: a member reads from where it was given the key, in any order and each message once`, async () => {
    const [from, to] = [writer(), reader()];
    await from.distribution();
    await from.encrypt(Buffer.from('before the member came'));
    await to.accept(await from.distribution());
    const bodies: { readonly body: Uint8Array; readonly text: string }[] = [];
    for (let n = 0; n < 10; n += 1) {
      const text = `${n} ${'long '.repeat(n * 10)}`;
      bodies.push({ body: await from.encrypt(Buffer.from(text)), text });
      if (n === 5) from.restart();
    }
    for (const n of [3, 0, 9, 1, 2, 8, 4, 7, 5, 6]) {
      const { body, text } = bodies[n]!;
      const spoiled = Uint8Array.from(body);
      spoiled[12]! ^= 1;
      await assert.rejects(async () => to.decrypt(spoiled));
      assert.equal(Buffer.from(await to.decrypt(body)).toString(), text);
      await assert.rejects(async () => to.decrypt(body));
      to.restart();
    }
  });
}

test('a member that is given the key again reads on', async () => {
  const [from, to] = [own(), own()];
  for (let turn = 0; turn < 3; turn += 1) {
    await to.accept(await from.distribution());
    const body = await from.encrypt(Buffer.from(String(turn)));
    assert.equal(Buffer.from(await to.decrypt(body)).toString(), String(turn));
  }
});
