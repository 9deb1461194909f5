/** An older independent client: stock Baileys 7.0.0-rc13 beside stock rc14 and the service, all three in one sandbox. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as rc13 from 'baileys-rc13';
import sharp from 'sharp';
import { Companion, type Engine, type Place } from '../../sandbox/companion.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { linkDevice, untilEvent } from '../steps.ts';

const ada = '4915550001111';
const bob = '4915550002222';
const cyd = '4915550003333';

// Classes with private members are never of one type.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const older = rc13 as unknown as Engine;

const jidOf = (number: string): string => `${number}@s.whatsapp.net`;

interface Received {
  readonly message: { readonly id: string; readonly text: string | null; readonly type: string; readonly chat: string };
}

describe('stock Baileys rc13, stock rc14 and the service', () => {
  let installation: Installation;
  /** Linked to Ada. */
  let old: Companion;
  /** Linked to Bob. */
  let current: Companion;
  /** The device of the service, linked to Cyd. */
  let id: number;
  const isIt =
    (messageId: string) =>
    ({ message }: Received): boolean =>
      message.id === messageId;
  const received = async (messageId: string): Promise<Received> => {
    const { data } = await untilEvent(installation, id, 'message.received', isIt(messageId));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the interface says of this type of event
    return data as Received;
  };
  const post = async (path: string, body: object): Promise<string> => {
    const { status, body: answer } = await installation.api.post(`/devices/${id}/messages/${path}`, body);
    assert.equal(status, 200, JSON.stringify(answer));
    return answer.messageId as string;
  };
  const textOf = ({ message }: Companion['messages'][number]): string | null | undefined =>
    message?.conversation ?? message?.extendedTextMessage?.text;

  before(async () => {
    installation = await startInstallation({}, undefined, undefined, { addressing: 'lenient' });
    const place = await installation.phones.request<Place>('GET', '');
    for (const [number, name] of Object.entries({ [ada]: 'Ada', [bob]: 'Bob', [cyd]: 'Cyd' })) {
      await installation.phones.add(number, name);
    }
    old = new Companion(place, {}, older);
    current = new Companion(place);
    await Promise.all([
      old.link((qr) => installation.phones.scan(ada, qr)),
      current.link((qr) => installation.phones.scan(bob, qr)),
    ]);
    id = await linkDevice(installation, cyd);
  });
  after(async () => {
    await Promise.all([old[Symbol.asyncDispose](), current[Symbol.asyncDispose]()]);
    await installation[Symbol.asyncDispose]();
  });

  it('texts go both ways between all of them', async () => {
    const toNew = await old.socket.sendMessage(jidOf(bob), { text: 'from the old' });
    assert.equal(textOf(await current.received(toNew!.key.id!)), 'from the old');
    const toOld = await current.socket.sendMessage(jidOf(ada), { text: 'to the old' });
    assert.equal(textOf(await old.received(toOld!.key.id!)), 'to the old');

    const toService = await old.socket.sendMessage(jidOf(cyd), { text: 'to the service' });
    const { message } = await received(toService!.key.id!);
    assert.deepEqual([message.text, message.chat], ['to the service', jidOf(ada)]);
    const back = await post('text', { to: message.chat, message: 'from the service' });
    assert.equal(textOf(await old.received(back)), 'from the service');
    await untilEvent(
      installation,
      id,
      'message.updated',
      (data: { messageId: string; update: { status?: string } }) => {
        return data.messageId === back && data.update.status === 'delivered';
      },
    );
  });

  it('an image goes both ways', async () => {
    const image = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } })
      .jpeg()
      .toBuffer();
    const sent = await old.socket.sendMessage(jidOf(cyd), { image, caption: 'teal' });
    const { message } = await received(sent!.key.id!);
    assert.deepEqual([message.type, message.text], ['image', 'teal']);
    const back = await post('media', {
      to: jidOf(ada),
      mediaBase64: image.toString('base64'),
      mediaCaption: 'as well',
    });
    const got = await old.received(back);
    assert.equal(got.message?.imageMessage?.caption, 'as well');
    const { format, width } = await sharp(await old.download(got)).metadata();
    assert.deepEqual([format, width], ['jpeg', 40]);
  });

  it('all three write in a group that the old one has made', async () => {
    const group = await old.socket.groupCreate('Versions', [jidOf(bob), jidOf(cyd)]);
    const first = await old.socket.sendMessage(group.id, { text: 'one' });
    assert.equal((await received(first!.key.id!)).message.chat, group.id);
    assert.equal(textOf(await current.received(first!.key.id!)), 'one');
    const second = await post('text', { to: group.id, message: 'two' });
    const third = await current.socket.sendMessage(group.id, { text: 'three' });
    assert.equal(textOf(await old.received(second)), 'two');
    assert.equal(textOf(await old.received(third!.key.id!)), 'three');
    assert.equal((await received(third!.key.id!)).message.text, 'three');
  });

  it('nothing was undecryptable, and nothing came twice', async () => {
    const { decryptFailures, duplicates } = await installation.phones.stats();
    assert.deepEqual([decryptFailures, duplicates], [0, 0]);
  });
});
