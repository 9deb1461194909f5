/** Answers about expired media that the phone did not give: none of them leads a download anywhere else. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { type AuthenticationCreds, type BinaryNode, getBinaryNodeChild, initAuthCreds, proto } from 'baileys';
import { pino } from 'pino';
import type { MessageRecord } from '../../../src/domain/message.ts';
import { openRetry, sealRetry } from '../../../sandbox/src/media/cipher.ts';
import { setFacts } from '../../../src/whatsapp/identity/account.ts';
import { makeDeviceMemory } from '../../../src/whatsapp/state/device-memory.ts';
import { MediaReuploads } from '../../../src/whatsapp/media/reuploads.ts';
import { makeLidMapping } from '../../../src/whatsapp/signal/lid-mapping.ts';
import { mediaPartOf } from '../../../src/whatsapp/translate/parts/media.ts';
import { record } from '../../store/contract/fixture.ts';
import { manualClock } from '../../support/clock.ts';
import { eventually } from '../../support/wait.ts';
import { strictStanzas } from '../socket/strict-stanzas.ts';
import { noticesOn, startIntakes } from './intake.ts';
import { ann, group, me } from '../driver.people.ts';

const mediaKey = randomBytes(32);
const former = '/v/t62/old.enc?oh=1';
const { SUCCESS, NOT_FOUND } = proto.MediaRetryNotification.ResultType;

const content = proto.Message.encode({
  imageMessage: { mimetype: 'image/jpeg', mediaKey, directPath: former, fileEncSha256: randomBytes(32) },
}).finish();

const annsImage = record('M1', {
  chat: ann.phone,
  chatLid: ann.lid,
  from: ann.phone,
  fromLid: ann.lid,
  direction: 'in',
  content: Uint8Array.from(content),
});

interface Said {
  readonly id?: string;
  readonly from?: string;
  readonly rmr?: Record<string, string>;
  readonly path?: string;
  readonly result?: proto.MediaRetryNotification.ResultType;
  readonly sealedFor?: string;
  readonly key?: Uint8Array;
  readonly spoil?: (sealed: { ciphertext: Uint8Array; iv: Uint8Array }) => { ciphertext: Uint8Array; iv: Uint8Array };
}

const rmrOfAnn = { jid: ann.lid, from_me: 'false' };

const answer = ({
  id = 'M1',
  from = me.phone,
  rmr = rmrOfAnn,
  path = '/v/t62/new.enc?oh=2',
  result = SUCCESS,
  sealedFor = id,
  key = mediaKey,
  spoil = (sealed) => sealed,
}: Said = {}): BinaryNode => {
  const plain = proto.MediaRetryNotification.encode({ stanzaId: sealedFor, directPath: path, result }).finish();
  const { ciphertext, iv } = spoil(sealRetry(plain, key, sealedFor));
  return {
    tag: 'notification',
    attrs: { id, from, type: 'mediaretry', t: '1700000000' },
    content: [
      {
        tag: 'encrypt',
        attrs: {},
        content: [
          { tag: 'enc_p', attrs: {}, content: ciphertext },
          { tag: 'enc_iv', attrs: {}, content: iv },
        ],
      },
      { tag: 'rmr', attrs: rmr },
    ],
  };
};

const refusal = (code: string, from: string = me.phone): BinaryNode => ({
  tag: 'notification',
  attrs: { id: 'M1', from, type: 'mediaretry', t: '1700000000' },
  content: [
    { tag: 'error', attrs: { code } },
    { tag: 'rmr', attrs: rmrOfAnn },
  ],
});

const start = async (messages: readonly MessageRecord[] = [annsImage], facts = {}) => {
  const rig = await startIntakes();
  const { store } = rig.connect();
  const { deviceId, stores } = rig;
  const creds: AuthenticationCreds = { ...initAuthCreds(), me: { id: me.phone, lid: me.lid } };
  setFacts(creds, facts);
  const clock = manualClock();
  const sent: BinaryNode[] = [];
  const reuploads = new MediaReuploads({
    deviceId,
    creds,
    store,
    messages: stores.messages,
    memory: makeDeviceMemory(),
    lidMapping: makeLidMapping({ deviceId, store }),
    send: async (node) => void sent.push(node),
    clock,
    log: pino({ level: 'silent' }),
  });
  await store.commit(deviceId, { messages });
  return {
    reuploads,
    sent,
    clock,
    deviceId,
    store,
    stores,
    ask: (message = annsImage, waitMs = 15_000) => reuploads.pathOf(message, mediaKey, former, waitMs),
    async path(id = 'M1'): Promise<string | null | undefined> {
      const stored = await stores.messages.find(deviceId, id);
      return mediaPartOf(proto.Message.decode(stored!.content!))?.directPath;
    },
    [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose](),
  };
};

test('an honest answer is written, by either address, before anybody waits for it', async () => {
  for (const jid of [ann.lid, ann.phone]) {
    await using place = await start();
    await place.reuploads.take(answer({ rmr: { jid, from_me: 'false' } }));
    assert.equal(await place.path(), '/v/t62/new.enc?oh=2');
  }
});

const flipped = (bytes: Uint8Array): Uint8Array => bytes.map((byte, index) => (index === 0 ? byte ^ 1 : byte));

for (const [what, node] of Object.entries<BinaryNode>({
  'about a message that is not here': answer({ id: 'M9' }),
  'about the message of another chat': answer({ rmr: { jid: '9009@lid', from_me: 'false' } }),
  'about a message of our own by that id': answer({ rmr: { jid: ann.lid, from_me: 'true' } }),
  'with a wrong tag': answer({ spoil: ({ ciphertext, iv }) => ({ ciphertext: flipped(ciphertext), iv }) }),
  'with another nonce': answer({ spoil: ({ ciphertext }) => ({ ciphertext, iv: randomBytes(12) }) }),
  'with a nonce that is too long': answer({ spoil: ({ ciphertext }) => ({ ciphertext, iv: randomBytes(16) }) }),
  'without a ciphertext': answer({ spoil: ({ iv }) => ({ ciphertext: Buffer.alloc(0), iv }) }),
  'with an endless ciphertext': answer({ spoil: ({ iv }) => ({ ciphertext: Buffer.alloc(1_000_000), iv }) }),
  'under another key': answer({ key: randomBytes(32) }),
  'sealed for another message': answer({ sealedFor: 'M2' }),
  'with the address of another host': answer({ path: 'https://evil.example/file' }),
  'with a path that begins with a host': answer({ path: '//evil.example/file' }),
  'with a path that turns into a host': answer({ path: '/\\evil.example/file' }),
  'with credentials in place of a path': answer({ path: '@evil.example/file' }),
  'with a line break in its path': answer({ path: '/v/t62\r\nhost: evil.example' }),
  'with an endless path': answer({ path: `/${'a'.repeat(3_000)}` }),
  'with no path': answer({ path: '' }),
  'without rmr': { ...answer(), content: [] },
  'without anything': { tag: 'notification', attrs: { type: 'mediaretry' } },
  'that refuses, by somebody else': refusal('2', '9009@lid'),
})) {
  test(`an answer ${what} changes nothing, and ends no waiting`, async () => {
    await using place = await start();
    const waiting = place.ask();
    await eventually('the request', () => place.sent[0]);
    await place.reuploads.take(node);
    assert.equal(await place.path(), former);
    await place.reuploads.take(answer());
    assert.equal(await waiting, '/v/t62/new.enc?oh=2');
  });
}

test('answers of a group are for the message of that participant', async () => {
  const inGroup = { ...annsImage, chat: group, chatLid: null, isGroup: true };
  await using place = await start([inGroup]);
  const rmr = { jid: group, from_me: 'false' };
  await place.reuploads.take(answer({ rmr: { ...rmr, participant: '9009@lid' } }));
  assert.equal(await place.path(), former);
  await place.reuploads.take(answer({ rmr: { ...rmr, participant: ann.lid } }));
  assert.equal(await place.path(), '/v/t62/new.enc?oh=2');
});

test('deleted messages and view-once messages get no new path', async () => {
  const viewOnce = { ...annsImage, viewOnce: true };
  const deleted = { ...annsImage, deletedAt: 5 };
  for (const message of [viewOnce, deleted]) {
    await using place = await start([message]);
    await place.reuploads.take(answer());
    assert.equal(await place.path(), former);
  }
});

test('ten thousand answers of others change nothing, and leave the next honest one its turn', async () => {
  await using place = await start();
  const socket = { stanzas: strictStanzas(), isOpen: true };
  const acknowledged: BinaryNode[] = [];
  const others: BinaryNode[] = [];
  const notices = noticesOn(
    socket,
    (acks) => void acknowledged.push(...acks),
    (error) => assert.fail(String(error)),
  );
  notices.on('mediaretry', place.reuploads.take, { beside: true, strict: true });
  notices.on('encrypt', (node) => others.push(node));
  const strange = [answer({ id: 'M9' }), answer({ key: randomBytes(32) }), answer({ path: 'https://evil.example/x' })];
  for (let n = 0; n < 10_000; n += 1) socket.stanzas.dispatch(strange[n % strange.length]!);
  socket.stanzas.dispatch({ tag: 'notification', attrs: { id: 'X', type: 'encrypt' } });
  socket.stanzas.dispatch(answer());
  await eventually('all to be acknowledged', () => acknowledged.length === 10_002);
  assert.equal(others.length, 1);
  assert.equal(await place.path(), '/v/t62/new.enc?oh=2');
  assert.deepEqual(acknowledged.at(-1)?.attrs, { id: 'M1', to: me.phone, class: 'notification', type: 'mediaretry' });
});

test('an answer is acknowledged once it is written, and not at all where it cannot be', async () => {
  await using place = await start();
  const socket = { stanzas: strictStanzas(), isOpen: true };
  const acknowledged: (string | null | undefined)[] = [];
  const failures: unknown[] = [];
  noticesOn(
    socket,
    () => void place.path().then((path) => acknowledged.push(path)),
    (error) => failures.push(error),
  ).on('mediaretry', place.reuploads.take, { beside: true, strict: true });
  socket.stanzas.dispatch(answer());
  await eventually('the acknowledgement', () => acknowledged.length === 1);
  assert.deepEqual(acknowledged, ['/v/t62/new.enc?oh=2']);
  place.store.end();
  socket.stanzas.dispatch(answer({ path: '/v/t62/third.enc' }));
  await eventually('the failure', () => failures.length === 1);
  assert.equal(acknowledged.length, 1);
});

test('the request names the message by its chat, its author and its direction, and is sealed under its media key', async () => {
  const own = { ...annsImage, id: 'M2', direction: 'out', from: me.phone, fromLid: me.lid } as const;
  const inGroup = { ...annsImage, id: 'M3', chat: group, chatLid: null, isGroup: true };
  for (const [message, facts, expected] of [
    [annsImage, {}, { jid: ann.lid, from_me: 'false' }],
    [annsImage, { lidMigrated: false }, { jid: ann.phone, from_me: 'false' }],
    [own, {}, { jid: ann.lid, from_me: 'true' }],
    [inGroup, {}, { jid: group, from_me: 'false', participant: ann.lid }],
    [inGroup, { lidMigrated: false }, { jid: group, from_me: 'false', participant: ann.phone }],
  ] as const) {
    await using place = await start([message], facts);
    const waiting = assert.rejects(place.ask(message), { name: 'NotFound' });
    await place.clock.advance(15_000);
    await waiting;
    const [receipt] = place.sent;
    assert.deepEqual(receipt?.attrs, { id: message.id, to: me.phone, type: 'server-error' });
    assert.deepEqual({ ...getBinaryNodeChild(receipt, 'rmr')?.attrs }, expected);
    const sealed = getBinaryNodeChild(receipt, 'encrypt');
    const [ciphertext, iv] = ['enc_p', 'enc_iv'].map((tag) => getBinaryNodeChild(sealed, tag)?.content as Uint8Array);
    const opened = openRetry({ ciphertext: ciphertext!, iv: iv! }, mediaKey, message.id);
    assert.equal(proto.ServerErrorReceipt.decode(opened).stanzaId, message.id);
  }
});

test('the phone is asked for one file once a minute, and for few at a time', async () => {
  await using place = await start();
  const { clock, ask, sent } = place;
  const refused = (waiting: Promise<string>) => assert.rejects(waiting, { name: 'NotFound', message: /try later$/ });
  const first = refused(ask());
  const second = refused(ask());
  await clock.advance(15_000);
  await Promise.all([first, second]);
  assert.equal(sent.length, 1);
  const third = refused(ask());
  await clock.advance(45_000);
  await third;
  assert.equal(sent.length, 1);
  const fourth = refused(ask());
  await eventually('a second request', () => sent.length === 2);
  const many = Array.from({ length: 63 }, (_, n) => refused(ask({ ...annsImage, id: `N${n}` })));
  await eventually('many requests', () => sent.length === 65);
  await assert.rejects(ask({ ...annsImage, id: 'one more' }), { name: 'RateLimited' });
  await clock.advance(15_000);
  await Promise.all([fourth, ...many]);
});

test('what the phone says in place of a path is told in words', async () => {
  for (const [node, words] of [
    [refusal('2'), /neither has the phone$/],
    [answer({ result: NOT_FOUND }), /neither has the phone$/],
    [refusal('3'), /could not upload it again; try later$/],
    [refusal('nonsense'), /could not upload it again; try later$/],
  ] as const) {
    await using place = await start();
    const waiting = assert.rejects(place.ask(), { name: 'NotFound', message: words });
    await eventually('the request', () => place.sent[0]);
    await place.reuploads.take(node);
    await waiting;
  }
});
