/** The control interface over HTTP: phones, linking by picture, messages, errors. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import QRCode from 'qrcode';
import sharp from 'sharp';
import { startSandbox } from '../../../sandbox/src/sandbox.ts';
import { Companion } from '../companion.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into, not typed
type Json = any;

const start = async () => {
  const sandbox = await startSandbox({ addressing: 'lenient' });
  const call = async (
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; json: Json; headers: Headers }> => {
    const answer = await fetch(`${sandbox.controlUrl}${path}`, {
      method,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: answer.status, json: await answer.json(), headers: answer.headers };
  };
  return {
    sandbox,
    call,
    async [Symbol.asyncDispose]() {
      await sandbox.close();
    },
  };
};

const numbers = ['491510000001', '491510000002'] as const;

test('GET /sandbox tells how to reach the network', async () => {
  await using place = await start();
  const { json } = await place.call('GET', '');
  assert.deepEqual(Object.keys(json), ['socketUrl', 'rootKey', 'mediaCa', 'controlUrl', 'versionUrl']);
  assert.match(json.socketUrl, /^ws:\/\/127\.0\.0\.1:\d+\//);
  assert.match(json.rootKey, /^[0-9a-f]{64}$/);
  assert.match(json.mediaCa, /^-----BEGIN CERTIFICATE-----/);
  assert.match(json.controlUrl, /^http:\/\/127\.0\.0\.1:\d+\/sandbox$/);
});

test('phones are made once, listed and found', async () => {
  await using place = await start();
  const { json } = await place.call('POST', '/phones', { number: `+${numbers[0]}`, name: 'Alice' });
  assert.equal(json.phone.number, numbers[0]);
  assert.equal(json.phone.jid, `${numbers[0]}@s.whatsapp.net`);
  assert.match(json.phone.lid, /^\d+@lid$/);
  assert.equal(json.phone.name, 'Alice');
  assert.deepEqual(json.phone.linkedDevices, []);
  assert.equal(json.phone.linkAsked, null);
  assert.deepEqual((await place.call('GET', '/phones')).json.phones, [json.phone]);
  assert.deepEqual((await place.call('GET', `/phones/${numbers[0]}`)).json, { phone: json.phone });
  assert.equal((await place.call('POST', '/phones', { number: numbers[0] })).status, 409);
});

test('errors name what is wrong', async () => {
  await using place = await start();
  await place.call('POST', '/phones', { number: numbers[0] });
  const messages = `/phones/${numbers[0]}/messages`;
  const cases: readonly (readonly [string, string, unknown, number, RegExp])[] = [
    ['POST', '/phones', { number: 'abc' }, 400, /number/],
    ['POST', '/phones', { number: numbers[1], nmae: 'x' }, 400, /nmae/],
    ['POST', '/phones', '{', 400, /JSON/],
    ['GET', '/phones/4900000', undefined, 404, /4900000/],
    ['GET', '/nothing', undefined, 404, /\/nothing/],
    ['DELETE', '/phones', undefined, 405, /GET|POST/],
    ['POST', messages, { to: numbers[1], text: 'x' }, 404, new RegExp(numbers[1])],
    ['POST', messages, { to: numbers[0] }, 400, /exactly one of text/],
    ['POST', messages, { to: numbers[0], text: 'x', imageBase64: 'eA==' }, 400, /exactly one of text/],
    ['POST', messages, { to: numbers[0], text: 'x', caption: 'y' }, 400, /caption/],
    ['POST', messages, { to: numbers[0], imageBase64: 'eA==' }, 400, /not an image/],
    ['POST', messages, { to: numbers[0], imageBase64: '???' }, 400, /imageBase64/],
    ['POST', messages, { to: numbers[0], text: 'x', count: 0 }, 400, /count/],
    ['POST', messages, { to: numbers[0], text: 'x', quotedId: 'nope' }, 404, /nope/],
    ['GET', `${messages}?before=3`, undefined, 400, /before/],
    ['GET', `${messages}/nope`, undefined, 404, /nope/],
    ['POST', `${messages}/nope/read`, undefined, 404, /nope/],
    ['POST', `/phones/${numbers[0]}/scan`, { qr: 'data:image/png;base64,AAAA' }, 400, /picture/],
    ['POST', `/phones/${numbers[0]}/scan`, { qr: 'hello' }, 400, /./],
    ['POST', `/phones/${numbers[0]}/link-code`, { code: 'ABCDEFGH' }, 400, /./],
    ['DELETE', `/phones/${numbers[0]}/linked-devices/1`, undefined, 404, /linked device 1/],
    ['PATCH', `/phones/${numbers[0]}`, { online: 'yes' }, 400, /online/],
    ['PATCH', `/phones/${numbers[0]}`, { blockedBy: ['4900000'] }, 404, /4900000/],
    ['PUT', '/faults', { latencyMs: -1 }, 400, /latencyMs/],
    ['POST', '/drop', { number: '4900000' }, 404, /4900000/],
    ['DELETE', '/calls/nope', undefined, 404, /nope/],
  ];
  for (const [method, path, body, status, words] of cases) {
    const answer = await place.call(method, path, body);
    assert.equal(answer.status, status, `${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(answer.json)}`);
    assert.match(answer.json.error, words);
    if (status === 405) assert.equal(answer.headers.get('allow'), 'POST, GET');
  }
});

test('phones write to each other; a long poll answers as soon as there is something', async () => {
  await using place = await start();
  for (const number of numbers) await place.call('POST', '/phones', { number });
  const waiting = place.call('GET', `/phones/${numbers[1]}/messages?after=0&waitMs=20000`);
  const { json } = await place.call('POST', `/phones/${numbers[0]}/messages`, { to: numbers[1], text: 'hello' });
  const [message] = (await waiting).json.messages;
  assert.equal(message.id, json.messageIds[0]);
  assert.equal(message.text, 'hello');
  assert.equal(message.from, `${numbers[0]}@s.whatsapp.net`);
  const none = await place.call('GET', `/phones/${numbers[1]}/messages?after=${message.seq}&waitMs=1`);
  assert.deepEqual(none.json.messages, []);
  await place.call('POST', `/phones/${numbers[1]}/messages/${message.id}/read`);
  const read = await place.call('GET', `/phones/${numbers[0]}/messages/${message.id}?state=read&waitMs=20000`);
  assert.equal(read.json.message.state, 'read');
  const edited = await place.call('POST', `/phones/${numbers[0]}/messages/${message.id}/edit`, { text: 'hallo' });
  assert.equal(edited.json.message.text, 'hallo');
  assert.equal(
    (await place.call('POST', `/phones/${numbers[1]}/messages/${message.id}/edit`, { text: 'x' })).status,
    409,
  );
});

test('images, and other kinds of messages, keep their contents', async () => {
  await using place = await start();
  for (const number of numbers) await place.call('POST', '/phones', { number });
  const bytes = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#2b7' } })
    .png()
    .toBuffer();
  const bodies = [
    { imageBase64: bytes.toString('base64'), caption: 'green' },
    { videoBase64: 'AAAA', caption: 'film' },
    { audioBase64: 'AAAA' },
    { documentBase64: 'AAAA', fileName: 'a.bin' },
    { stickerBase64: bytes.toString('base64') },
    { location: { latitude: 52.5, longitude: 13.4, name: 'Berlin' } },
    { contact: { name: 'Carol', number: '491510000003' } },
    { poll: { question: 'Well?', options: ['yes', 'no'] } },
  ];
  for (const body of bodies) {
    const { status, json } = await place.call('POST', `/phones/${numbers[0]}/messages`, { to: numbers[1], ...body });
    assert.equal(status, 200, JSON.stringify(json));
  }
  const last = `/phones/${numbers[1]}/messages?after=${bodies.length - 1}&waitMs=20000`;
  assert.equal((await place.call('GET', last)).json.messages.length, 1);
  const { messages } = (await place.call('GET', `/phones/${numbers[1]}/messages?limit=100`)).json;
  assert.deepEqual(
    messages.map(({ type, error }: Json) => [type, error]),
    ['image', 'video', 'audio', 'document', 'sticker', 'location', 'contact', 'poll'].map((type) => [type, null]),
  );
  assert.equal(messages[0].image.mimetype, 'image/png');
  assert.equal(messages[0].image.caption, 'green');
  assert.equal(messages[0].image.width, 40);
  assert.equal(messages[3].media.fileName, 'a.bin');
  assert.deepEqual(messages[7].details, { question: 'Well?', options: ['yes', 'no'] });
  const media = await fetch(`${place.sandbox.controlUrl}/phones/${numbers[1]}/messages/${messages[0].id}/media`);
  assert.equal(media.headers.get('content-type'), 'image/png');
  assert.deepEqual(Buffer.from(await media.arrayBuffer()), bytes);
  assert.equal((await place.call('GET', '/stats')).json.decryptFailures, 0);
});

test('a companion is linked by the picture of its QR, dropped, and unlinked', async () => {
  await using place = await start();
  await place.call('POST', '/phones', { number: numbers[0], name: 'Alice' });
  await using companion = new Companion(place.sandbox);
  await companion.link(async (text) => {
    const qr = await QRCode.toDataURL(text);
    const { status, json } = await place.call('POST', `/phones/${numbers[0]}/scan`, { qr });
    assert.equal(status, 200, JSON.stringify(json));
    assert.equal(json.linkedDevice.device, 1);
  });
  const { phone } = (await place.call('GET', `/phones/${numbers[0]}`)).json;
  assert.deepEqual(
    phone.linkedDevices.map(({ device }: Json) => device),
    [1],
  );
  assert.ok(Date.parse(phone.linkedDevices[0].linkedAt) > Date.now() - 60_000);
  assert.deepEqual((await place.call('POST', '/drop', { number: numbers[0] })).json, { dropped: 1 });
  const gone = await place.call('DELETE', `/phones/${numbers[0]}/linked-devices/1`);
  assert.deepEqual(gone.json.phone.linkedDevices, []);
});

test('faults are set as a whole and taken back', async () => {
  await using place = await start();
  const { json } = await place.call('PUT', '/faults', { withholdAcks: true, mediaStatus: 503 });
  assert.equal(json.faults.withholdAcks, true);
  assert.equal(json.faults.mediaStatus, 503);
  assert.deepEqual((await place.call('GET', '/faults')).json, json);
  assert.equal((await place.call('PUT', '/faults', { latencyMs: 1 })).json.faults.withholdAcks, false);
  assert.equal((await place.call('DELETE', '/faults')).json.faults.latencyMs, 0);
});

test('it goes by the name that it is told to advertise', async () => {
  const sandbox = await startSandbox({ advertise: 'localhost', host: '127.0.0.1' });
  try {
    assert.match(sandbox.socketUrl, /^ws:\/\/localhost:\d+\//);
    assert.match(sandbox.controlUrl, /^http:\/\/localhost:\d+\/sandbox$/);
    assert.equal(JSON.parse(await (await fetch(sandbox.controlUrl)).text()).socketUrl, sandbox.socketUrl);
  } finally {
    await sandbox.close();
  }
});
