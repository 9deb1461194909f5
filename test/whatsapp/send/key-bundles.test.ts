/** Keys of devices without a session: by which address they are asked for, and what becomes of those that the network does not give. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BinaryNode, Curve, encodeBigEndian, signedKeyPair, xmppPreKey, xmppSignedPreKey } from 'baileys';
import { makeBeginSessions } from '../../../src/whatsapp/send/key-bundles.ts';
import { pino } from 'pino';
import type { Clock } from '../../../src/domain/clock.ts';
import { NoAnswer, Refused } from '../../../src/whatsapp/socket/query.ts';
import type { Repository } from '../../../src/whatsapp/signal/repository.ts';
import { makeLidMapping } from '../../../src/whatsapp/signal/lid-mapping.ts';
import { memoryStore, ourRepository } from '../signal/support.ts';

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

const atOnce: Pick<Clock, 'after'> = {
  after: (_ms, run) => {
    setImmediate(run);
    return { cancel: () => undefined };
  },
};

/** A network that gives the keys of everybody but the ones in `without`; the whole question fails with the code or error `whole`, or where it names this device. */
const asking = (without: Readonly<Record<string, number>> = {}, whole: unknown = null) => {
  const listOf = (jids: readonly string[]): BinaryNode => {
    const users = jids.map((jid) =>
      without[jid] === undefined
        ? bundleOf(jid)
        : { tag: 'user', attrs: { jid }, content: [{ tag: 'error', attrs: { code: String(without[jid]) } }] },
    );
    return { tag: 'iq', attrs: {}, content: [{ tag: 'list', attrs: {}, content: users }] };
  };
  const asked: (string | undefined)[] = [];
  const questions: number[] = [];
  const begun: string[] = [];
  const sock = {
    async query({ content }: BinaryNode): Promise<BinaryNode> {
      const [key] = content as BinaryNode[];
      const jids = (key!.content as BinaryNode[]).map(({ attrs }) => attrs.jid!);
      asked.push(...jids);
      questions.push(jids.length);
      if (typeof whole === 'string' && !jids.includes(whole)) return listOf(jids);
      if (whole !== null)
        throw whole instanceof Error
          ? whole
          : new Refused(typeof whole === 'string' ? 406 : Number(whole), 'not-acceptable');
      return listOf(jids);
    },
  };
  const injectE2ESession = async ({ jid }: { jid: string }) => void begun.push(jid);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else is asked of it
  const repository = { injectE2ESession } as unknown as Repository;
  const mapping = makeLidMapping({ deviceId: 1, store: memoryStore() });
  const dropped: string[] = [];
  const lists = { forget: (of: readonly (string | null | undefined)[]) => void dropped.push(...of.map(String)) };
  const log = pino({ level: 'silent' });
  const begin = makeBeginSessions({ sock, clock: atOnce, repository, mapping, lists, log });
  return { begin, mapping, asked, questions, begun, dropped };
};

test('they are asked for by LID where there is one, and by number where nobody has told one', async () => {
  const { begin, mapping, asked, begun } = asking();
  await mapping.storeLIDPNMappings([{ lid: '200002@lid', pn: ann }]);
  await begin([ann, ann.replace('@', ':3@'), '200002:3@lid', bob]);
  assert.deepEqual(asked, ['200002@lid', '200002:3@lid', bob]);
  assert.deepEqual(begun, asked);
});

test('a device whose keys the network does not give leaves the others theirs, and its list is dropped if the network does not know it', async () => {
  const { begin, begun, dropped } = asking({ '200002:3@lid': 406, '200003@lid': 404 });
  const keyless = await begin(['200002@lid', '200002:3@lid', '200003@lid']);
  assert.deepEqual([...keyless], ['200002:3@lid', '200003@lid']);
  assert.deepEqual([begun, dropped], [['200002@lid'], ['200002:3@lid']]);
});

test('a question that is refused with 406 drops the lists of all in it, by the address that they were asked under', async () => {
  const { begin, mapping, begun, dropped } = asking({}, 406);
  await mapping.storeLIDPNMappings([{ lid: '200002@lid', pn: ann }]);
  assert.deepEqual([...(await begin([ann, '200003@lid']))], [ann, '200003@lid']);
  assert.deepEqual([begun, dropped], [[], [ann, '200003@lid']]);
});

test('one device of a hundred that fails the whole question is found, and the others have their keys', async () => {
  const jids = Array.from({ length: 100 }, (_, n) => `${3_000 + n}@lid`);
  const { begin, questions, begun, dropped } = asking({}, jids[77]);
  await begin(jids);
  assert.deepEqual([begun.length, dropped, questions.length], [99, [jids[77]], 15]);
  const everybody = asking({}, 406);
  await everybody.begin(jids);
  assert.deepEqual([everybody.begun, everybody.dropped], [[], jids]);
  assert.ok(everybody.questions.length <= 24, String(everybody.questions.length));
});

test('a question that is refused with another code drops no list; one without an answer fails', async () => {
  const { begin, begun, dropped } = asking({}, 503);
  await begin([bob]);
  assert.deepEqual([begun, dropped], [[], []]);
  await assert.rejects(asking({}, new NoAnswer()).begin([bob]), NoAnswer);
});

test('a malformed bundle leaves the other devices theirs', async () => {
  const { repository, mapping } = ourRepository('1000@lid');
  const jids = ['200002@lid', '200003@lid', '200004@lid'];
  const users = jids.map(bundleOf);
  const malformed = users[1]!.content as BinaryNode[];
  malformed[2] = { tag: 'skey', attrs: {}, content: [] };
  const answer = { tag: 'iq', attrs: {}, content: [{ tag: 'list', attrs: {}, content: users }] };
  const parts = {
    clock: atOnce,
    repository,
    mapping,
    lists: { forget: () => undefined },
    log: pino({ level: 'silent' }),
  };
  await makeBeginSessions({ ...parts, sock: { query: async () => answer } })(jids);
  assert.deepEqual(await Promise.all(jids.map(repository.hasOpenSession)), [true, false, true]);
});
