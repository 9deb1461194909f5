/** The sandbox never pretends: each method of a stock Baileys socket has an effect, is answered, or is refused (table.ts). */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { BinaryNode } from 'baileys';
import sharp from 'sharp';
import type { Recorded } from '../../../sandbox/src/base/recorder.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/src/sandbox.ts';
import type { Phone } from '../../../sandbox/src/phones/phone.ts';
import { phonesOf } from '../../support/phones.ts';
import { eventually } from '../../support/wait.ts';
import { Companion } from '../companion.ts';
import type { Scene, Verdict } from './rows.ts';
import { methods } from './table.ts';

const once = { quotedId: null, count: 1 };
const ada = '4915170000001';

describe('methods of a stock socket', () => {
  let folder: string;
  let sandbox: Sandbox;
  let adasPhone: Phone;
  let client: Companion;
  /** Linked to Bob's phone. */
  let bobs: Companion;
  let scene: Scene;
  const recorded: Recorded[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'methods-'));
    sandbox = await startSandbox({ addressing: 'lenient', record: (entry) => recorded.push(entry) });
    adasPhone = sandbox.phones.create(ada, 'Ada');
    const bob = sandbox.phones.create('4915170000002', 'Bob');
    const cyd = sandbox.phones.create('4915170000003', 'Cyd');
    client = new Companion(sandbox);
    bobs = new Companion(sandbox);
    await client.link((qr) => adasPhone.scan(qr));
    await bobs.link((qr) => bob.scan(qr));
    const { socket } = client;
    const picture = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
      .jpeg()
      .toBuffer();
    const [textId] = await bob.writer.write(adasPhone.account.jid, { kind: 'text', text: 'hello' }, once);
    const { messageIds } = await phonesOf(sandbox.controlUrl).request<{ messageIds: string[] }>(
      'POST',
      `/phones/${bob.account.number}/messages`,
      { to: ada, imageBase64: picture.toString('base64') },
    );
    const imageId = messageIds[0]!;
    const path = join(folder, 'file');
    await writeFile(path, picture);
    await eventually('the key of the application state', () => client.creds.myAppStateKeyId);
    const { id: group } = await socket.groupCreate('Friends', [bob.account.lid]);
    await eventually('the image at the phone', () => adasPhone.view.find(imageId));
    adasPhone.expireMedia(imageId, false);
    scene = {
      socket,
      me: socket.user!.id,
      bob: bob.account.lid,
      cyd: cyd.account.lid,
      group,
      text: await client.received(textId!),
      image: await client.received(imageId),
      file: { path, sha256: createHash('sha256').update(picture).digest('base64url') },
      picture,
    };
    await socket.assertSessions([scene.bob], true);
  });
  after(async () => {
    await Promise.all([client, bobs].map((each) => each[Symbol.asyncDispose]()));
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** The network has taken all that the client has sent. */
  const settled = async (): Promise<void> => {
    if (!client.socket.ws.isOpen) return;
    const ping = { tag: 'iq', attrs: { id: 'settled', to: '@s.whatsapp.net', type: 'get', xmlns: 'w:p' } };
    await scene.socket.query(ping);
    await adasPhone.idle();
  };

  /** Nothing of what was played before is still going on. */
  const quiet = async (): Promise<void> => {
    const perPing = 2;
    for (let known = -1; client.socket.ws.isOpen && recorded.length !== known + perPing;) {
      known = recorded.length;
      await settled();
    }
  };

  const isRefusal = ({ tag, attrs, content }: BinaryNode): boolean => {
    if (tag === 'error' || attrs.type === 'error' || attrs.error !== undefined) return true;
    if (Array.isArray(content)) return content.some(isRefusal);
    return tag === 'result' && content instanceof Uint8Array && Buffer.from(content).includes('{"errors"');
  };

  /** State of the network, apart from what waits for devices. */
  const state = (): string => {
    const { accounts, groups } = sandbox.hub.snapshot();
    return JSON.stringify([accounts, groups], (key, value: unknown) => (key === 'queue' ? undefined : value));
  };

  const uploads = new Set(['updateCoverPhoto', 'waUploadToServer']);

  const play = async (name: string, call: (scene: Scene) => unknown): Promise<Verdict> => {
    await quiet();
    const [from, stateBefore] = [recorded.length, state()];
    let failure: unknown = null;
    try {
      await call(scene);
    } catch (error) {
      failure = error;
    }
    const news = () => recorded.slice(from);
    const said = () =>
      news().flatMap((entry) =>
        entry.kind === 'stanza' &&
        entry.from === 'client' &&
        entry.number === ada &&
        entry.node.attrs['id'] !== 'settled'
          ? [entry.node]
          : [],
      );
    const heard = () =>
      news().flatMap((entry) =>
        // That a phone has received something says nothing of what it does with it.
        entry.kind === 'stanza' && entry.from === 'network' && !(entry.number === ada && entry.node.tag === 'receipt')
          ? [entry.node]
          : [],
      );
    const requests = news().filter(({ kind }) => kind === 'request');
    if (uploads.has(name)) return failure !== null ? 'refused' : requests.length > 0 ? 'played' : 'local';
    await settled();
    if (name === 'logout') await eventually('the log-out', () => said().length > 0);
    if (said().length === 0) return 'local';
    const ids = new Set(said().map(({ attrs }) => attrs.id));
    const isAnswer = ({ tag, attrs }: BinaryNode): boolean => (tag === 'iq' || tag === 'ack') && ids.has(attrs.id);
    for (const { tag, attrs } of said()) {
      if (client.socket.ws.isOpen && (tag === 'iq' || tag === 'message')) {
        await eventually(`the answer to ${name}`, () =>
          heard().some((node) => isAnswer(node) && node.attrs.id === attrs.id),
        );
      }
    }
    if (heard().some((node) => isAnswer(node) && isRefusal(node))) return 'refused';
    // A refusal within a result.
    if (failure instanceof Error && failure.message.startsWith('GraphQL server error')) return 'refused';
    if (methods[name]?.[0] !== 'played') {
      assert.equal(failure, null, `${name}: ${String(failure)}`);
      return 'asked';
    }
    const has = () => state() !== stateBefore || heard().some((node) => !isAnswer(node) && node.tag !== 'ack');
    await eventually(`an effect of ${name}`, has);
    return 'played';
  };

  it('the table has each of them, and no other', () => {
    const functions = Object.entries(scene.socket).filter(([, value]) => typeof value === 'function');
    assert.deepEqual(Object.keys(methods).sort(), functions.map(([name]) => name).sort());
  });

  for (const [name, [verdict, call]] of Object.entries(methods)) {
    if (call === undefined) continue;
    it(`${name} is ${verdict}`, async () => assert.equal(await play(name, call), verdict));
  }
});
