/**
 * Bytes of the real network that were published, read by our code.
 *
 * Source: whatsapp-rust at 240d631a (2026-04-30), `wacore/tests/noise_handshake_test.rs` and `binary_protocol_test.rs`, MIT licence, © 2025 João Lucas de
 * Oliveira Lopes. The handshake is one of whatsmeow with a server of the network, with the client's ephemeral key; that the root key of the network has signed its
 * certificates shows that nobody has made it up. Of a pairing, of the application state and of edits, reactions and votes that are sealed, no bytes of the real
 * network are public (docs/internals/wire.md).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proto, WA_CERT_DETAILS } from 'baileys';
import { generateKeyPair } from 'whatsapp-rust-bridge';
import { Handshake } from '../../../src/whatsapp/socket/handshake.ts';
import { nodeReader } from '../../../src/whatsapp/socket/node-decoder.ts';

const hex = (...parts: readonly string[]): Buffer => Buffer.from(parts.join(''), 'hex');

const ephemeral = {
  public: hex('8537e1daadfb8e9ff8491896f5733008bad4967c2ba97670f69cf3053762ea4d'),
  private: hex('b8de0b5ebad3e7879fa659c0d27baa6c3e3f32a10f7c4cb2613cb4182fe83047'),
};
const serverHello = {
  ephemeral: hex('27692cf5d6a08e51f2d601f2e475378456bda16f96255c5121d081d0aa4a815d'),
  static: hex('0addd1ce96c55699824fc20ef2a73928dd8168bc29ef863bdea6dc69002b00054add28f7711e3a7dff984d3f31badaa2'),
  payload: hex(
    'c4f948e737857d6bd675fa0a84f38ed784685b784402da53f972388a8aa3398f01be799862907d43cce7a49858023ec66dc909d1eac245f842661360',
    '804acf4975801ca0a156f876ba6004cc2f1241f761f753c516cef59fb3c6b95d39ad6d3540caa40b361bfbb7189eaa2d331e086870f2bd846bc6653c',
    'f2887387ba25268c9923dec5ecdc5ee37507680ba6906550f9991f6a60b2dc74803c6df8d6df352f206c376b0bb3d7d17dca91e3999f73d6dc6469e5',
    '9281bc18c22fd1e7d85467b3f17fafc141a62c6fd92d364310d5b32493c9f2c77817aa4d901aef2538858b157d46ea247371a9c2f577171796fa7be0',
    '59d975dddee115d5aa967602b02a93be36',
  ),
};
/** The key that WhatsApp's clients trust, written out: tests with sandboxes change the one of Baileys. */
const rootKey = hex('142375574d0a587166aae71ebe516437c4a28b73e3695c6ce1f7f9545da8ee6b');

const finish = (hello: object, root: Uint8Array): unknown => {
  const { pubKey, privKey } = generateKeyPair();
  return new Handshake(ephemeral).finish(proto.HandshakeMessage.encode({ serverHello: hello }).finish(), {
    noiseKey: { public: pubKey.subarray(-32), private: privKey },
    rootKey: root,
    payload: Buffer.from('who we are'),
  });
};

test("a server of the network: its hello is opened, and its certificates are signed by the network's root key", () => {
  assert.deepEqual(Buffer.from(WA_CERT_DETAILS.PUBLIC_KEY), rootKey);
  assert.ok(finish(serverHello, rootKey));
  const otherRoot = Buffer.from(rootKey);
  otherRoot[5]! ^= 1;
  assert.throws(() => finish(serverHello, otherRoot), /signature of the intermediate certificate is wrong/);
  const changed = Buffer.from(serverHello.payload);
  changed[40]! ^= 1;
  assert.throws(() => finish({ ...serverHello, payload: changed }, rootKey), /unable to authenticate data/);
});

test('a stanza of the network after a login', () => {
  const bytes = hex(
    '00f80f4c1aff0517520218905cee043dfc0366726376f7012aff88100000000000001f4becb43cff051752020041ece6fc2c643559623557784c2b6b',
    '35554b5148564936627546524751456a30475a413565767a3862365632786b64773d',
  );
  const { tag, attrs, content } = nodeReader.decode(bytes);
  assert.equal(tag, 'success');
  assert.deepEqual([attrs['location'], attrs['props'], content], ['frc', '27', undefined]);
  assert.match(attrs['lid'] ?? '', /@lid$/);
});
