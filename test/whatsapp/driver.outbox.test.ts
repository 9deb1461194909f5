/** The outbox: order, and what goes together. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type BinaryNode, proto } from 'baileys';
import { SendOutcomeUnknown } from '../../src/errors.ts';
import type { MessageRecord } from '../../src/domain/message.ts';
import { type Letter, Outbox, type OutboxParts } from '../../src/whatsapp/outbox.ts';
import { eventually } from '../support/wait.ts';

const me = { id: '4915550000001:3@s.whatsapp.net', lid: '100001:3@lid' };

const letterTo = (to: string, id: string, isGroup = false): Letter => {
  const message = proto.Message.create({ extendedTextMessage: { text: id } });
  const content = proto.Message.encode(message).finish();
  return {
    to,
    message,
    record: { id, isGroup, content, state: 'pending' } as MessageRecord & Letter['record'],
    stored: false,
  };
};

/** `bob` has no session yet, and his keys cannot be fetched. */
const bob = '4915550000003@s.whatsapp.net';

/** An outbox whose other parts note what they are asked for, in order. */
const startOutbox = (devicesOf: (jid: string) => readonly string[] = (jid) => [jid.replace('@', ':0@')]) => {
  const happened: string[] = [];
  const sealedFor: string[][] = [];
  const store = { broken: false, commit: async () => void happened.push('commit') };
  const sock = {
    ws: { isOpen: true },
    authState: { creds: { me } },
    async getUSyncDevices([sender, to]: [string, string]) {
      const jids = [sender.replace('@', ':0@'), me.id, ...devicesOf(to)];
      return jids.map((jid) => ({ jid, user: jid.split(/[:@]/)[0] }));
    },
    assertSessions: async () => Promise.reject(new Error('no keys')),
    relayMessage: async (_: string, __: unknown, { messageId }: { messageId: string }) =>
      void happened.push(`engine ${messageId}`),
  };
  const parts = {
    deviceId: 1,
    sock,
    line: { send: (nodes: readonly BinaryNode[]) => happened.push(...nodes.map(({ attrs }) => `frame ${attrs.id}`)) },
    store,
    tokens: { nodeFor: async () => null, give: () => undefined },
    seal: async (
      open: readonly { jid: string }[],
      { messages = [] }: { messages?: readonly MessageRecord[] },
      lenient: boolean,
    ) => {
      const missing = open.map(({ jid }) => jid).filter((jid) => jid.startsWith('4915550000003'));
      if (missing.length > 0 && !lenient) return { sealed: [], missing };
      sealedFor.push(open.map(({ jid }) => jid));
      // Written before anything of it can leave.
      await new Promise((resolve) => setImmediate(resolve));
      happened.push(`written ${messages.map(({ id }) => id).join(' ')}`);
      return { sealed: open.map(() => ({ type: 'msg', ciphertext: new Uint8Array([1]) })), missing: [] };
    },
  } as unknown as OutboxParts;
  return { outbox: new Outbox(parts), happened, sealedFor, sock, store };
};

const ann = '4915550000002@s.whatsapp.net';
const group = '120363@g.us';

describe('the outbox', () => {
  it('writes what waits together, and then sends it in order', async () => {
    const { outbox, happened } = startOutbox();
    const first = outbox.post(Promise.resolve(letterTo(ann, 'A')));
    await eventually('the first is being written', () => happened.length > 0);
    const others = ['B', 'C', 'D'].map((id) => outbox.post(Promise.resolve(letterTo(ann, id))));
    await Promise.all([first, ...others]);
    await eventually('all have left', () => happened.length === 6);
    assert.deepEqual(happened, ['written A', 'frame A', 'written B C D', 'frame B', 'frame C', 'frame D']);
  });

  it('does not know what became of a message to a group when the engine fails to write what it keeps of that', async () => {
    const { outbox, sock, store } = startOutbox();
    sock.relayMessage = async () => Promise.reject(new Error('it could not be written'));
    await assert.rejects(outbox.post(Promise.resolve(letterTo(group, 'A', true))), /^Error: it could not be written/);
    store.broken = true;
    await assert.rejects(outbox.post(Promise.resolve(letterTo(group, 'B', true))), SendOutcomeUnknown);
  });

  it('keeps the place of a message that is not ready', async () => {
    const { outbox, happened } = startOutbox();
    const image = Promise.withResolvers<Letter>();
    const slow = outbox.post(image.promise);
    const quick = outbox.post(Promise.resolve(letterTo(ann, 'quick')));
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(happened, []);
    image.resolve(letterTo(ann, 'slow'));
    await Promise.all([slow, quick]);
    await eventually('both have left', () => happened.length === 3);
    assert.deepEqual(happened, ['written slow quick', 'frame slow', 'frame quick']);
  });

  it('goes on behind a message that could not be made', async () => {
    const { outbox, happened } = startOutbox();
    const broken = outbox.post(Promise.reject(new Error('no media host takes it')));
    const behind = outbox.post(Promise.resolve(letterTo(ann, 'behind')));
    await assert.rejects(broken, /no media host/);
    await behind;
    await eventually('it has left', () => happened.includes('frame behind'));
  });

  it('gives groups to the engine, in their turn', async () => {
    const { outbox, happened } = startOutbox();
    const posted = [letterTo(ann, 'A'), letterTo(group, 'G', true), letterTo(ann, 'B')];
    await Promise.all(posted.map((letter) => outbox.post(Promise.resolve(letter))));
    await eventually('all have left', () => happened.length === 6);
    assert.deepEqual(happened, ['written A', 'frame A', 'commit', 'engine G', 'written B', 'frame B']);
  });

  it('encrypts for each device once, and not for the one that sends', async () => {
    const { outbox, sealedFor } = startOutbox((jid) => [jid.replace('@', ':0@'), jid.replace('@', ':0@')]);
    await outbox.post(Promise.resolve(letterTo(ann, 'A')));
    assert.deepEqual(sealedFor, [['4915550000001:0@s.whatsapp.net', '4915550000002:0@s.whatsapp.net']]);
  });

  it('lets one whose sessions cannot be set up take no other along', async () => {
    const { outbox, happened } = startOutbox();
    const first = outbox.post(Promise.resolve(letterTo(ann, 'first')));
    const lost = outbox.post(Promise.resolve(letterTo(bob, 'lost')));
    const last = outbox.post(Promise.resolve(letterTo(ann, 'last')));
    await assert.rejects(lost, /no keys/);
    await Promise.all([first, last]);
    await eventually('the others have left', () => happened.filter((what) => what.startsWith('frame')).length === 2);
    assert.deepEqual(
      happened.filter((what) => what.startsWith('frame')),
      ['frame first', 'frame last'],
    );
  });

  it('sends nothing on a connection that has ended', async () => {
    const { outbox, happened, sock } = startOutbox();
    sock.ws.isOpen = false;
    await assert.rejects(outbox.post(Promise.resolve(letterTo(ann, 'A'))), /connection is closed/);
    assert.deepEqual(happened, []);
  });
});
