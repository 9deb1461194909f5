/** The other resources of a device (docs/spec/http-interface.md, Endpoints). */
import assert from 'node:assert/strict';
import jsqr from 'jsqr';
import sharp from 'sharp';
import { test } from 'node:test';
import { noMediaDetails } from '../../src/domain/messages/parts.ts';
import { qrDataUrl, qrText } from '../../src/http/wire/qr.ts';
import { type DeviceEvent, eventKinds } from '../../src/domain/event.ts';
import type { MessageRecord } from '../../src/domain/message.ts';
import { type Harness, withHttp } from './harness.ts';

const number = '4915112345678';

const decode = async (image: Uint8Array): Promise<string | undefined> => {
  const { data, info } = await sharp(image)
    .flatten({ background: 'white' })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const read = jsqr as unknown as typeof jsqr.default;
  return read(new Uint8ClampedArray(data), info.width, info.height)?.data;
};

/** The half blocks of a terminal as pixels. */
const decodeText = (text: string): Promise<string | undefined> => {
  const lines = text.split('\n').filter((line) => line !== '');
  const scale = 4;
  const width = lines[0]!.length * scale;
  const pixels = Buffer.alloc(width * lines.length * 2 * scale);
  for (let y = 0; y < lines.length * 2 * scale; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const char = lines[Math.floor(y / scale / 2)]![Math.floor(x / scale)];
      const lower = Math.floor(y / scale) % 2 === 1;
      pixels[y * width + x] = char === '█' || char === (lower ? '▄' : '▀') ? 255 : 0;
    }
  }
  return sharp(pixels, { raw: { width, height: lines.length * 2 * scale, channels: 1 } })
    .png()
    .toBuffer()
    .then(decode);
};

test(
  'the QR as PNG, SVG and text, by Accept or format, is the same code',
  withHttp(async ({ api, device, linked }) => {
    const id = await device();
    const path = `/devices/${id}/qr`;
    const cases = [
      [path, undefined, 'image/png'],
      [path, '*/*', 'image/png'],
      [path, 'image/avif,image/*;q=0.8', 'image/png'],
      [path, 'image/svg+xml', 'image/svg+xml'],
      [path, 'text/plain', 'text/plain; charset=utf-8'],
      [path, 'image/png;q=0.1, text/plain', 'text/plain; charset=utf-8'],
      [`${path}?format=svg`, 'image/png', 'image/svg+xml'],
      [`${path}?format=text`, undefined, 'text/plain; charset=utf-8'],
      [`${path}?format=png`, 'text/plain', 'image/png'],
    ] as const;
    const codes = new Set<string | undefined>();
    for (const [url, accept, type] of cases) {
      const response = await api.fetch(url, { headers: accept === undefined ? {} : { accept } });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), type);
      const bytes = Buffer.from(await response.arrayBuffer());
      if (type.startsWith('text/')) codes.add(await decodeText(bytes.toString()));
      else
        codes.add(await decode(type === 'image/png' ? bytes : await sharp(bytes, { density: 300 }).png().toBuffer()));
    }
    const dataUrl: string = (await api.get(`/devices/${id}`)).body.device.qr;
    codes.add(await decode(Buffer.from(dataUrl.split(',')[1]!, 'base64')));
    assert.equal(codes.size, 1);
    assert.match([...codes][0] ?? '', /^https:\/\/wa\.me\/settings\/linked_devices#/);
    const open = await api.get(`/devices/${await linked()}/qr`);
    assert.deepEqual([open.status, open.body], [404, { status: { code: 404, message: 'QR not found' } }]);
  }),
);

test('QRs of every size are read back', async () => {
  for (const length of [1, 20, 100, 240, 500]) {
    const text = 'aB3/'.repeat(length).slice(0, length);
    const png = Buffer.from((await qrDataUrl(text)).split(',')[1]!, 'base64');
    assert.equal(await decode(png), text);
    assert.equal(await decodeText(qrText(text)), text);
  }
});

test(
  'the session tells why the device is not linked, though the process that saw it has ended',
  withHttp(async ({ api, stores, userId }) => {
    const { id } = await stores.devices.create({ userId, name: null, webhookUrl: null, webhookEvents: eventKinds }, 1);
    const reason = async (): Promise<string> => (await api.get(`/devices/${id}/session`)).body.session.reason;
    assert.match(await reason(), /^The device is not linked to an account/);
    const ends: readonly (readonly [DeviceEvent, RegExp])[] = [
      [{ type: 'connection.logout', data: { reason: 'requested' } }, /^The device was disconnected/],
      [{ type: 'connection.logout', data: { reason: 'removed_by_phone' } }, /^The phone removed this device/],
      [{ type: 'connection.timeout', data: {} }, /^The QR code was not scanned in time/],
      [{ type: 'connection.logout', data: { reason: 'banned' } }, /^The network has locked or banned this account/],
    ];
    for (const [event, words] of ends) {
      await stores.changes.commit(id, { facts: [{ event, at: 1 }] });
      assert.match(await reason(), words);
    }
  }),
);

test(
  'the session tells the account and its state',
  withHttp(async ({ api, device, linked }) => {
    const waiting = (await api.get(`/devices/${await device()}/session`)).body;
    assert.deepEqual([waiting.session.state, waiting.session.jid], ['pairing', null]);
    const open = (await api.get(`/devices/${await linked()}/session`)).body;
    assert.equal(open.session.state, 'open');
    assert.match(open.session.phoneNumber, /^\d+$/);
    assert.equal(open.session.name, 'Ann');
    assert.equal(open.status.code, 200);
  }),
);

test(
  'messages: newest first, by pages, one by one, and by chat',
  withHttp(async ({ api, linked }) => {
    const id = await linked();
    const ids: string[] = [];
    for (const [to, message] of [
      ['4915100000001', 'a'],
      ['4915100000002', 'b'],
      ['4915100000001', 'c'],
    ] as const) {
      ids.push((await api.post(`/devices/${id}/messages/text`, { toNumber: to, message })).body.messageId);
    }
    const first = (await api.get(`/devices/${id}/messages?limit=2`)).body;
    const second = (await api.get(`/devices/${id}/messages?limit=2&cursor=${first.nextCursor}`)).body;
    const all = [...first.messages, ...second.messages];
    assert.deepEqual(
      all.map(({ id: messageId }: { id: string }) => messageId),
      ids.toReversed(),
    );
    assert.equal(second.nextCursor, null);
    assert.equal('content' in all[0], false);
    assert.equal(all[0].state, 'accepted');
    assert.match(all[0].acceptedAt, /Z$/);
    const chat = (await api.get(`/devices/${id}/messages?chat=4915100000002@s.whatsapp.net`)).body;
    assert.deepEqual(
      chat.messages.map(({ text }: { text: string }) => text),
      ['b'],
    );
    const one = (await api.get(`/devices/${id}/messages/${ids[1]}`)).body;
    assert.deepEqual([one.message.text, one.message.direction, one.status.code], ['b', 'out', 200]);
    const none = await api.get(`/devices/${id}/messages/NOPE`);
    assert.deepEqual(none.body, { status: { code: 404, message: 'Message not found' } });
    assert.equal((await api.get(`/devices/${id}`)).body.device.messagesSent, 3);
  }),
);

const received = (messageId: string, mimetype: string, fileName: string | null): MessageRecord => ({
  id: messageId,
  chat: `${number}@s.whatsapp.net`,
  chatNumber: number,
  chatLid: null,
  direction: 'in',
  from: `${number}@s.whatsapp.net`,
  fromNumber: number,
  fromLid: null,
  pushName: 'Bob',
  isGroup: false,
  type: 'document',
  text: null,
  quotedMessageId: null,
  media: { mimetype, bytes: 5, sha256: null, fileName, ...noMediaDetails },
  content: new Uint8Array([1]),
  state: 'delivered',
  timestamp: Date.now(),
  acceptedAt: null,
  deliveredAt: null,
  readAt: null,
  failedAt: null,
  deletedAt: null,
});

let files = 0;

const media = async (http: Harness, id: number, mimetype: string, fileName: string | null): Promise<Response> => {
  files += 1;
  const messageId = `M${files}`;
  await http.stores.changes.commit(id, { messages: [received(messageId, mimetype, fileName)] });
  return http.api.fetch(`/devices/${id}/messages/${messageId}/media`);
};

test(
  'media is streamed under its own type, and what a stranger chose does no harm',
  withHttp(async (http) => {
    const id = await http.linked();
    const pieces = Array.from({ length: 50 }, (_, index) => Buffer.alloc(100_000, index));
    http.network.script.media = pieces;
    const image = await media(http, id, 'image/jpeg', null);
    assert.equal(image.headers.get('content-type'), 'image/jpeg');
    assert.equal(image.headers.get('content-disposition'), 'inline');
    assert.ok(Buffer.concat(pieces).equals(Buffer.from(await image.arrayBuffer())));

    http.network.script.media = [Buffer.from('<script>')];
    const page = await media(http, id, 'text/html', 'Grüße "x"\r\nSet-Cookie: a=b.html');
    assert.equal(page.headers.get('x-content-type-options'), 'nosniff');
    assert.match(page.headers.get('content-security-policy') ?? '', /sandbox/);
    assert.match(
      page.headers.get('content-disposition') ?? '',
      /^attachment; filename="Gr__e _x___Set-Cookie: a=b\.html"; filename\*=UTF-8''Gr%C3%BC/,
    );
    assert.equal(page.headers.get('set-cookie'), null);
    const odd = await media(http, id, 'image/png\r\nX: y', null);
    assert.equal(odd.headers.get('content-type'), 'application/octet-stream');

    const none = await http.api.get(`/devices/${id}/messages/NOPE/media`);
    assert.deepEqual([none.status, none.body], [404, { status: { code: 404, message: 'Message not found' } }]);
    const text = (await http.api.post(`/devices/${id}/messages/text`, { toNumber: number, message: 'x' })).body
      .messageId;
    assert.equal((await http.api.get(`/devices/${id}/messages/${text}/media`)).body.status.message, 'Media not found');
  }),
);

test(
  'media of two chats with one message id is told apart by the chat',
  withHttp(async (http) => {
    const id = await http.linked();
    http.network.script.media = [Buffer.from('file')];
    const first = received('SAME', 'image/png', null);
    const second = { ...received('SAME', 'text/plain', null), chat: '1203630@g.us', chatNumber: null, isGroup: true };
    for (const message of [first, second]) await http.stores.changes.commit(id, { messages: [message] });
    const path = `/devices/${id}/messages/SAME/media`;
    const typeOf = async (query: string) => (await http.api.fetch(`${path}${query}`)).headers.get('content-type');
    assert.equal(await typeOf(''), 'image/png');
    const head = await http.api.fetch(path, { method: 'HEAD' });
    assert.deepEqual([head.headers.get('content-type'), head.headers.get('content-length')], ['image/png', null]);
    assert.equal(await typeOf(`?chat=${first.chat}`), 'image/png');
    assert.equal(await typeOf('?chat=1203630@g.us'), 'text/plain');
    assert.equal((await http.api.get(`${path}?chat=1203631@g.us`)).status, 404);
    assert.equal((await http.api.get(`${path}?chats=2@g.us`)).status, 400);
  }),
);

test(
  'media whose reader has gone before its first byte is given up',
  withHttp(async (http) => {
    const id = await http.linked();
    const messageId = 'GONE';
    await http.stores.changes.commit(id, { messages: [received(messageId, 'image/png', null)] });
    const asked = Promise.withResolvers<void>();
    const first = Promise.withResolvers<IteratorResult<Uint8Array>>();
    const givenUp = Promise.withResolvers<void>();
    http.network.script.media = {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          asked.resolve();
          return first.promise;
        },
        async return() {
          givenUp.resolve();
          return { done: true, value: undefined };
        },
      }),
    } as unknown as readonly Uint8Array[];
    const reader = new AbortController();
    const { signal } = reader;
    const answer = http.api.fetch(`/devices/${id}/messages/${messageId}/media`, { signal }).catch(() => null);
    await asked.promise;
    reader.abort();
    await answer;
    // The service has heard of it by the time that it has answered somebody else.
    await http.api.get(`/devices/${id}`);
    first.resolve({ done: false, value: Buffer.alloc(100_000) });
    await givenUp.promise;
  }),
);

const failing = (good: number): readonly Uint8Array[] =>
  ({
    *[Symbol.iterator]() {
      for (let count = 0; count < good; count += 1) yield Buffer.alloc(200_000);
      throw new Error('the media host went away');
    },
  }) as unknown as readonly Uint8Array[];

test(
  'media that fails before its first byte is an error, and later a cut connection',
  withHttp(async (http) => {
    const id = await http.linked();
    http.network.script.media = failing(0);
    const early = await media(http, id, 'image/png', 'x.png');
    assert.equal(early.status, 500);
    assert.equal(early.headers.get('content-disposition'), null);
    assert.deepEqual(await early.json(), { status: { code: 500, message: 'Internal server error' } });
    http.network.script.media = failing(3);
    const late = await media(http, id, 'image/png', null);
    await assert.rejects(late.arrayBuffer());
    assert.equal((await http.api.get('/me')).status, 200);
  }),
);
