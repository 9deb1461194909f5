/** Keys of devices without a session: by which address they are asked for, and what becomes of those that the network does not give. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type BinaryNode,
  Curve,
  encodeBigEndian,
  signedKeyPair,
  type WASocket,
  xmppPreKey,
  xmppSignedPreKey,
} from 'baileys';
import { beginSessions } from '../../../src/whatsapp/send/key-bundles.ts';
import { makeLidMapping } from '../../../src/whatsapp/signal/lid-mapping.ts';
import { memoryStore } from '../signal/support.ts';

const ann = '4915550000002@s.whatsapp.net';
const bob = '4915550000003@s.whatsapp.net';

const bundleOf = (jid: string): BinaryNode => {
  const identity = Curve.generateKeyPair();
  return {
    tag: 'user',
    attrs: { jid },
    content: [
      { tag: 'registration', attrs: {}, content: encodeBigEndian(7, 4) },
      { tag: 'identity', attrs: {}, content: identity.public },
      xmppSignedPreKey(signedKeyPair(identity, 1)),
      xmppPreKey(Curve.generateKeyPair(), 2),
    ],
  };
};

/** A network that gives the keys of everybody but the ones in `without`. */
const asking = (without: readonly string[] = []) => {
  const asked: (string | undefined)[] = [];
  const begun: string[] = [];
  const sock = {
    async query({ content }: BinaryNode): Promise<BinaryNode> {
      const [key] = content as BinaryNode[];
      const jids = (key!.content as BinaryNode[]).map(({ attrs }) => attrs.jid!);
      asked.push(...jids);
      const users = jids.map((jid) =>
        without.includes(jid)
          ? { tag: 'user', attrs: { jid }, content: [{ tag: 'error', attrs: { code: '404' } }] }
          : bundleOf(jid),
      );
      return { tag: 'iq', attrs: {}, content: [{ tag: 'list', attrs: {}, content: users }] };
    },
    signalRepository: { injectE2ESession: async ({ jid }: { jid: string }) => void begun.push(jid) },
  } as unknown as WASocket;
  return { sock, asked, begun };
};

test('they are asked for by LID where there is one, and by number where nobody has told one', async () => {
  const lidMapping = makeLidMapping({ deviceId: 1, store: memoryStore() });
  await lidMapping.storeLIDPNMappings([{ lid: '200002@lid', pn: ann }]);
  const { sock, asked, begun } = asking();
  await beginSessions(sock, lidMapping, [ann, ann.replace('@', ':3@'), '200002:3@lid', bob]);
  assert.deepEqual(asked, ['200002@lid', '200002:3@lid', bob]);
  assert.deepEqual(begun, asked);
});

test('a device whose keys the network does not give leaves the others theirs', async () => {
  const { sock, begun } = asking(['200002:3@lid']);
  await beginSessions(sock, makeLidMapping({ deviceId: 1, store: memoryStore() }), ['200002@lid', '200002:3@lid']);
  assert.deepEqual(begun, ['200002@lid']);
});
