/** Files as people met them: placeholders, sign-in pages, names of scripts, hosts that are busy. */
import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { bob, type Rig, startRig } from '../flows/say/rig.ts';
import { sample } from '../support/media.ts';

const pdf = Buffer.from('%PDF-1.5\n1 0 obj\nendobj\n');
const csv = Buffer.from('a;b\n1;2\n');

const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/download': (response) => void response.end(pdf),
  '/pdf.php?id=1': (response) => void response.end(pdf),
  '/export.php': (response) => void response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' }).end(csv),
  '/moved': (response) => void response.writeHead(302, { location: '/files/real%20name.pdf' }).end(),
  '/files/real%20name.pdf': (response) => void response.end(pdf),
  '/named': (response) =>
    void response.writeHead(200, { 'content-disposition': 'attachment; filename="named.pdf"' }).end(pdf),
  '/both': (response) =>
    void response
      .writeHead(200, { 'content-disposition': `attachment; filename="x"; filename*=UTF-8''Gr%C3%B6%C3%9Fe` })
      .end(pdf),
  '/strange': (response) => void response.writeHead(200, { 'content-encoding': 'aws-chunked' }).end(pdf),
  '/packed': (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(pdf)),
  '/sign-in.pdf': (response) => void response.end('<!DOCTYPE html><html><title>Sign in</title>'),
  '/busy': (response) => void response.writeHead(429, { 'retry-after': '7' }).end(),
  '/down': (response) => void response.writeHead(503).end(),
};

describe('files, as people met them', () => {
  let rig: Rig;
  let base: string;
  const server = createServer(({ url = '' }, response) => {
    const answer = answers[url];
    if (answer === undefined) response.writeHead(404).end();
    else answer(response);
  });
  before(async () => {
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    rig = await startRig();
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await rig?.[Symbol.asyncDispose]();
  });

  const sent = async (body: object) => {
    const id = await rig.send('document', { toNumber: bob, ...body });
    return ((await rig.shown(bob, id)) as unknown as { media: { fileName: string; mimetype: string } }).media;
  };
  const refused = async (kind: string, body: object) => {
    const answer = await rig.call('POST', `/${kind}`, { toNumber: bob, ...body });
    const { headers, status, body: told } = answer;
    return [status, told.status.message, headers.get('handset-reason'), headers.get('retry-after')];
  };

  it('a placeholder of n8n, or another word, is no file', async () => {
    const [status, words, reason] = await refused('document', { mediaBase64: 'database', fileName: 'a.pdf' });
    assert.deepEqual([status, reason], [400, 'invalid_media']);
    assert.match(String(words), /^mediaBase64 is "database", which n8n shows in place of a file.*Extract from File/);
    for (const kind of ['document', 'media', 'video', 'audio', 'sticker']) {
      for (const word of ['filesystem-v2', 'undefined', 'null'])
        assert.equal((await refused(kind, { mediaBase64: word }))[0], 400, word);
    }
    assert.match(String((await refused('media', { mediaBase64: 'null' }))[1]), /the word "null", not a file/);
    assert.equal((await sent({ mediaBase64: 'SGVsbG8K', fileName: 'hello.txt' })).mimetype, 'text/plain');
  });

  it('what does not begin as its type says is refused with the likely cause', async () => {
    const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
    const cases: readonly (readonly [object, RegExp])[] = [
      [{ mediaUrl: `${base}/sign-in.pdf`, fileName: 'a.pdf' }, /is not a PDF: it is an HTML page, perhaps a sign-in/],
      [{ mediaBase64: base64('{"error":"expired"}'), mimetype: 'application/pdf' }, /it is JSON, perhaps an error/],
      [{ mediaBase64: base64(pdf.toString('base64')), fileName: 'A.PDF' }, /it is still base64/],
      [{ mediaBase64: base64(`data:application/pdf;base64,${base64(pdf)}`), fileName: 'a.pdf' }, /a data URL/],
      [{ mediaBase64: base64(Buffer.from([0x89, 0x50]).toString()), fileName: 'a.png' }, /read as text on the way/],
      [{ mediaBase64: base64(pdf), mimetype: 'image/png' }, /is not a PNG image: it is application\/pdf$/],
      [{ mediaBase64: base64('words'), fileName: 'a.docx' }, /is not a Word document: it is text$/],
      [{ mediaBase64: base64(Buffer.from([1, 2, 3, 4])), fileName: 'a.xlsx' }, /encrypted, or lack its beginning$/],
    ];
    for (const [body, words] of cases) {
      const [status, message, reason] = await refused('document', body);
      assert.deepEqual([status, reason, words.test(String(message))], [400, 'invalid_media', true], String(message));
    }
  });

  it('a PDF with leading bytes, and a type with parameters, are what they are', async () => {
    const late = Buffer.concat([Buffer.from('\r\n\ufeff  '), pdf]).toString('base64');
    assert.deepEqual(await sent({ mediaBase64: late }).then(({ fileName, mimetype }) => [fileName, mimetype]), [
      'document.pdf',
      'application/pdf',
    ]);
    assert.equal((await sent({ mediaBase64: late, mimetype: 'application/pdf' })).mimetype, 'application/pdf');
    for (const mimetype of ['text/csv; charset=utf-8', 'text/csv;charset=utf-8', 'text/csv ; header=present'])
      assert.equal((await sent({ mediaBase64: csv.toString('base64'), fileName: 'a', mimetype })).mimetype, 'text/csv');
  });

  it('a document by URL has the name that its server or its URL gives it, with the extension of its type', async () => {
    const names: Readonly<Record<string, string>> = {
      '/download': 'download.pdf',
      '/pdf.php?id=1': 'pdf.pdf',
      '/export.php': 'export.csv',
      '/moved': 'real name.pdf',
      '/named': 'named.pdf',
      '/both': 'Größe.pdf',
    };
    for (const [path, name] of Object.entries(names))
      assert.equal((await sent({ mediaUrl: `${base}${path}` })).fileName, name, path);
    assert.equal((await sent({ mediaUrl: `${base}/both`, fileName: 'mine' })).fileName, 'mine');
  });

  it('an encoding that nobody knows is none', async () => {
    for (const path of ['/strange', '/packed'])
      assert.partialDeepStrictEqual(await sent({ mediaUrl: `${base}${path}` }), { bytes: pdf.length });
  });

  it('a host that is busy or down is named, and is not the fault of the request', async () => {
    const failed = 'Failed to send media message: the host of mediaUrl answered HTTP';
    for (const kind of ['document', 'media', 'video']) {
      const busy = await refused(kind, { mediaUrl: `${base}/busy` });
      assert.deepEqual(busy, [500, `${failed} 429`, 'media_host_failed', '7']);
      const down = await refused(kind, { mediaUrl: `${base}/down` });
      assert.deepEqual(down, [500, `${failed} 503`, 'media_host_failed', null]);
      assert.equal((await refused(kind, { mediaUrl: `${base}/gone` }))[0], 400);
    }
    const faults = (given: object) => rig.installation.phones.request('PUT', '/faults', given);
    const id = await rig.send('document', { toNumber: bob, mediaBase64: pdf.toString('base64') });
    await faults({ mediaStatus: 503 });
    const file = await refused('document', { mediaBase64: pdf.toString('base64') });
    const network = "the network's media host answered HTTP 503";
    assert.deepEqual(file.slice(0, 3), [500, `Failed to send media message: ${network}`, 'media_host_failed']);
    const got = await rig.call('GET', `/${id}/media`);
    assert.deepEqual([got.status, got.body.status.message], [500, `Failed to fetch the media: ${network}`]);
    await faults({});
  });

  it('a damaged image and another codec are refused in their own words', async () => {
    const jpeg = await sharp({ create: { width: 400, height: 300, channels: 3, background: 'red' } })
      .jpeg()
      .toBuffer();
    const cut = await refused('media', { mediaBase64: jpeg.subarray(0, 700).toString('base64') });
    assert.deepEqual(cut.slice(0, 3), [400, 'Image is damaged or ends too early', 'invalid_media']);
    // The head of Ogg Opus, renamed to that of Speex.
    const speex = sample('voice.ogg');
    speex.write('Speex   ', speex.indexOf('OpusHead'), 'latin1');
    const [status, words] = await refused('audio', { mediaBase64: speex.toString('base64'), voice: true });
    assert.equal(status, 400);
    assert.match(String(words), /^A voice message must be Ogg with Opus in one channel/);
  });

  it('a file from a stranger has the name of a file', async () => {
    const fileName = '../../etc/pass\u0007wd\n.txt';
    const id = await rig.fromBob(rig.jids.ada, { documentBase64: csv.toString('base64'), fileName });
    assert.equal((await rig.logged(id)).media.fileName, '.._.._etc_passwd.txt');
  });
});
