/** Documents: from base64 and by URL, on the phone and on a stock companion byte for byte; what is wrong is refused, and nothing is left. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readlink } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Recorder } from '../../../sandbox/src/base/recorder.ts';
import { eventually } from '../../support/wait.ts';
import { eventsOf } from '../steps.ts';
import { bob, cyd, type Rig, type Shown, startRig } from './rig.ts';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A ZIP of a kilobyte that says it holds four gigabytes. */
const bomb = Buffer.concat([
  Buffer.from('504b0304140000000800000021000000000000040000ffffffff0100000061', 'hex'),
  Buffer.alloc(1_000),
]);
const pdf = Buffer.from('%PDF-1.5\n1 0 obj\n<< /Linearized 1 /L 900 /O 3 /N 12 /T 800 >>\nendobj\n');
const large = randomBytes(6_000_001);
const csv = Buffer.from('a,b\n');
const megabyte = Buffer.alloc(1_048_576);

/** Answers of the server of files, by path. */
const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/files/large%20file.bin': (response) => void response.end(large),
  '/report': (response) => void response.end(pdf),
  '/empty.txt': (response) => void response.end(),
  '/gone': (response) => void response.writeHead(404).end('no'),
  '/announced': (response) => void response.writeHead(200, { 'content-length': 8_388_609 }).write('x'),
  '/endless': (response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(megabyte));
    };
    response.on('drain', more);
    more();
  },
  '/shorter': (response) => {
    response.writeHead(200, { 'content-length': 2_000_000 }).write(megabyte, () => response.destroy());
  },
};

const pdfType = 'application/pdf';
const chosen = { fileName: 'x', mimetype: 'application/x-mine' };

type Case = readonly [
  name: string,
  file: Buffer,
  body: { readonly path?: string; readonly fileName?: string; readonly mimetype?: string },
  shown: { readonly fileName: string; readonly mimetype: string },
  members?: object,
];

const cases: readonly Case[] = [
  ['base64', csv, { fileName: 'Größe 1.csv' }, { fileName: 'Größe 1.csv', mimetype: 'text/csv' }],
  [
    'a URL',
    large,
    { path: '/files/large%20file.bin' },
    { fileName: 'large file.bin', mimetype: 'application/octet-stream' },
  ],
  ['a PDF by its bytes', pdf, { path: '/report' }, { fileName: 'report.pdf', mimetype: pdfType }, { pageCount: 12 }],
  ['a file without a name', pdf, {}, { fileName: 'document.pdf', mimetype: pdfType }],
  ['a ZIP bomb', bomb, {}, { fileName: 'document.zip', mimetype: 'application/zip' }],
  ['a type of its own', pdf, chosen, chosen],
];

/** Temporary files of this process that are open. */
const openFiles = async (folder: string): Promise<string[]> => {
  const links = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''));
  return (await Promise.all(links)).filter((path) => path.startsWith(folder));
};

describe('documents', () => {
  let rig: Rig;
  let base: string;
  const requests: string[] = [];
  /** Requests to the media hosts. */
  const uploads: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    requests.push(url);
    (answers[url] ?? answers['/gone']!)(response);
  });
  const noneLeft = async (): Promise<void> => {
    const folder = join(rig.installation.dataDir, 'uploads');
    assert.deepEqual(await readdir(folder), []);
    if (process.platform === 'linux') assert.deepEqual(await openFiles(folder), []);
  };
  before(async () => {
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const record: Recorder = (recorded) => {
      if (recorded.kind === 'request' && recorded.method === 'POST') uploads.push(recorded.path);
    };
    rig = await startRig({ HANDSET_MAX_MEDIA_MB: '8' }, undefined, undefined, { record });
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await rig?.[Symbol.asyncDispose]();
  });

  for (const [name, bytes, body, shown, members = {}] of cases) {
    it(`${name} arrives as it is, in a chat and in a group`, async () => {
      const { path, ...more } = body;
      const source = path === undefined ? { mediaBase64: bytes.toString('base64') } : { mediaUrl: `${base}${path}` };
      const { lid } = await rig.installation.phones.get(cyd);
      for (const to of [rig.jids.bob, rig.group]) {
        const mediaCaption = `@${cyd} ${name}`;
        const id = await rig.send('document', { to, ...source, ...more, mediaCaption, mentions: [cyd] });
        const media = { ...shown, bytes: bytes.length, sha256: sha256(bytes) };
        assert.partialDeepStrictEqual(await rig.shown(bob, id), {
          type: 'document',
          // A group of today names its people by LID, in the text too.
          media: { ...media, caption: to === rig.group ? `@${lid.split('@')[0]} ${name}` : mediaCaption },
          mentions: [rig.jids.cyd],
        });
        const received = await rig.companion.received(id);
        assert.equal(Buffer.compare(await rig.companion.download(received), bytes), 0);
        const { documentMessage } = await rig.content(id);
        assert.partialDeepStrictEqual(documentMessage, { ...shown, title: documentMessage?.fileName, ...members });
        const logged = { type: 'document', text: mediaCaption, chat: to, direction: 'out', media };
        assert.partialDeepStrictEqual(await rig.logged(id), logged);
        const { message, source: by } = await rig.told('message.sent', (data) => data.message.id === id);
        assert.partialDeepStrictEqual({ message, by }, { message: { media }, by: 'api' });
      }
    });
  }

  it('goes in the frame of its caption, and without one in none', async () => {
    const body = { toNumber: bob, mediaUrl: `${base}/report` };
    const [bare, captioned] = [
      await rig.send('document', body),
      await rig.send('document', { ...body, mediaCaption: 'x' }),
    ];
    const fieldsOf = async (id: string) => Object.keys((await rig.companion.received(id)).message ?? {});
    assert.ok((await fieldsOf(bare)).includes('documentMessage'));
    assert.ok((await fieldsOf(captioned)).includes('documentWithCaptionMessage'));
    assert.equal((await rig.logged(bare)).text, null);
  });

  it('is quoted, edited and forwarded, without another upload', async () => {
    const quotedMessageId = await rig.fromBob(rig.jids.ada, { text: 'where is it?' });
    const body = { toNumber: bob, mediaUrl: `${base}/report`, mediaCaption: 'here', quotedMessageId };
    const id = await rig.send('document', body);
    assert.partialDeepStrictEqual(await rig.shown(bob, id), { quoted: { id: quotedMessageId } });
    const edited = await rig.call('PUT', `/${id}`, { message: 'here it is' });
    assert.partialDeepStrictEqual(edited.body.message, { text: 'here it is', media: { fileName: 'report.pdf' } });
    await rig.until(bob, id, ({ media }) => (media as { caption: string }).caption === 'here it is');
    const asked = requests.length;
    const copy = await rig.send(`${id}/forward`, { to: rig.group });
    const { documentMessage } = await rig.content(copy);
    const original = await rig.content(id);
    assert.equal(documentMessage?.directPath, original.documentMessage?.directPath);
    assert.partialDeepStrictEqual(await rig.shown(bob, copy), {
      media: { caption: 'here it is', sha256: sha256(pdf) },
    });
    assert.equal(Buffer.compare(await rig.companion.download(await rig.companion.received(copy)), pdf), 0);
    assert.equal(requests.length, asked);
  });

  it('one idempotency key makes one message and one download, and another body under it is refused', async () => {
    const body = { toNumber: bob, mediaUrl: `${base}/report` };
    const asked = requests.length;
    const id = await rig.send('document', body, 'report-1');
    assert.equal(await rig.send('document', body, 'report-1'), id);
    assert.equal(requests.length, asked + 1);
    const other = await rig.call('POST', '/document', { ...body, fileName: 'other' }, 'report-1');
    assert.equal(other.status, 400);
  });

  /** Documents that were accepted, once Bob has as many. */
  const documents = async (): Promise<number> => {
    const { installation, id } = rig;
    const told = (await eventsOf(installation, id)).filter(
      ({ type, data }) => type === 'message.sent' && (data as { message: Shown }).message.type === 'document',
    );
    await eventually('as many documents as were accepted', async () => {
      const shown = await installation.phones.messages(bob);
      return shown.filter(({ type }) => type === 'document').length === told.length;
    });
    return told.length;
  };

  const faults = (given: object) => rig.installation.phones.request('PUT', '/faults', given);
  const largeFile = () => ({ toNumber: bob, mediaUrl: `${base}/files/large%20file.bin` });
  it('goes on at another media host where the first one broke off, and in the end arrives whole', async () => {
    await faults({ mediaBreakUploads: { afterBytes: 2_000_000 } });
    uploads.length = 0;
    const id = await rig.send('document', largeFile());
    assert.deepEqual(
      uploads.map((path) => /&(?:resume=1|file_offset=\d+)$/.exec(path)?.[0] ?? ''),
      ['', '&resume=1', '&file_offset=2000000'],
    );
    assert.partialDeepStrictEqual(await rig.shown(bob, id), { media: { sha256: sha256(large) } });
    // A smaller one is sent anew.
    await rig.send('document', { toNumber: bob, mediaBase64: large.subarray(0, 3_000_000).toString('base64') });
    assert.equal(uploads.length, 5);
    await faults({});
  });

  it('is sent with a new authorization when the old one has expired', async () => {
    await faults({ mediaExpireAuth: true });
    uploads.length = 0;
    await rig.send('document', { toNumber: bob, mediaUrl: `${base}/report` });
    assert.equal(uploads.length, 2);
  });

  it('is not sent when all media hosts fail, and once with the same key when they are well', async () => {
    const held = await documents();
    await faults({ mediaBreakUploads: { afterBytes: 10, host: 'both' } });
    const failed = await rig.call('POST', '/document', largeFile(), 'large-1');
    assert.deepEqual([failed.status, failed.body.status.message], [500, 'Failed to send media message']);
    assert.deepEqual(await documents(), held);
    await noneLeft();
    await faults({});
    const id = await rig.send('document', largeFile(), 'large-1');
    assert.equal(await rig.send('document', largeFile(), 'large-1'), id);
    assert.partialDeepStrictEqual(await rig.shown(bob, id), { media: { sha256: sha256(large) } });
  });

  const refusals: readonly (readonly [number, object, RegExp])[] = [
    [400, {}, /^Exactly one of mediaUrl, mediaBase64 and fileId must be given; all are missing$/],
    [400, { mediaUrl: '/report', mediaBase64: 'YQ==' }, /must be given, not more$/],
    [400, { mediaUrl: '/gone' }, /^mediaUrl was answered with HTTP 404$/],
    [413, { mediaUrl: '/announced' }, /^Request payload too large$/],
    [413, { mediaUrl: '/endless' }, /^Request payload too large$/],
    [400, { mediaUrl: '/shorter' }, /^mediaUrl cannot be downloaded: the connection was closed/],
    [400, { mediaUrl: '/empty.txt' }, /^mediaUrl is empty/],
    [400, { mediaUrl: 'http://169.254.169.254/x' }, /^mediaUrl must not point to a private or reserved address$/],
    [400, { mediaUrl: 'ftp://example.com/x' }, /^mediaUrl must be an http:/],
    [400, { mediaBase64: '' }, /^mediaBase64 is empty$/],
    [400, { mediaBase64: 'no base64!' }, /^mediaBase64 must be base64/],
    [413, { mediaBase64: Buffer.alloc(10_485_761).toString('base64') }, /^Request payload too large$/],
    [400, { mediaUrl: '/report', fileName: '../../etc/passwd' }, /^fileName must be a name without a path/],
    [400, { mediaUrl: '/report', fileName: 'a\\b' }, /^fileName must be a name without a path/],
    [400, { mediaUrl: '/report', fileName: 'a\nb' }, /^fileName must have no control characters$/],
    [400, { mediaUrl: '/report', fileName: 'invoice\u202efdp.exe' }, /^fileName must have no control characters$/],
    [400, { mediaUrl: '/report', fileName: 'ä'.repeat(128) }, /^fileName must be at most 255 bytes of UTF-8$/],
    [400, { mediaUrl: '/report', fileName: '..' }, /^fileName must be the name of a file$/],
    [400, { mediaUrl: '/report', mimetype: 'pdf' }, /^mimetype must be a media type like application\/pdf$/],
    [400, { mediaUrl: '/report', mediaCaption: 'x'.repeat(1_025) }, /^mediaCaption must be/],
    [400, { mediaUrl: '/report', mentions: [cyd] }, /hidden mentions are refused$/],
  ];
  it('refuses in words, and nothing leaves or stays', async () => {
    const held = await documents();
    for (const [status, { mediaUrl, ...body }, words] of refusals as readonly [
      number,
      { mediaUrl?: string },
      RegExp,
    ][]) {
      const url =
        mediaUrl === undefined ? {} : { mediaUrl: mediaUrl.startsWith('/') ? `${base}${mediaUrl}` : mediaUrl };
      const [code, message] = await rig.refusal('POST', '/document', { toNumber: bob, ...url, ...body });
      assert.deepEqual([code, words.test(message)], [status, true], `${JSON.stringify(url)}: ${code} ${message}`);
    }
    assert.deepEqual(await documents(), held);
    await noneLeft();
  });
});
