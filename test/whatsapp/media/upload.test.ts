/** The way of an image to the media hosts: encrypted as the network does it, hosts that refuse, and connections that end. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import pLimit from 'p-limit';
import { pino } from 'pino';
import { certificatesFor } from '../../../sandbox/src/media/certificates.ts';
import { mediaConnNode } from './media-conn-node.ts';
import { encipherBytes } from '../../../src/whatsapp/media/encipher.ts';
import type { Uploader } from '../../../src/whatsapp/media/upload.ts';
import { composeFile } from '../../../src/whatsapp/send/compose.ts';

interface Upload {
  readonly path: string;
  readonly body: Buffer;
}

type Host = (request: IncomingMessage, response: ServerResponse, count: number) => void | Promise<void>;

let host: Host;
let requests = 0;
let questions = 0;
const uploads: Upload[] = [];
let agent: Agent;
let hostname: string;
const server = createServer((request, response) => void host(request, response, (requests += 1)));

before(async () => {
  const { ca, key, cert } = await certificatesFor('127.0.0.1');
  server.setSecureContext({ key, cert });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  agent = new Agent({ ca, keepAlive: true });
  hostname = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});

after(() => {
  agent.destroy();
  server.closeAllConnections();
  server.close();
});

const take: Host = async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  uploads.push({ path: request.url ?? '', body: Buffer.concat(parts) });
  response.end(JSON.stringify({ url: `https://${hostname}/there`, direct_path: '/there' }));
};

const uploader = (): Uploader => ({
  sock: {
    query: async () => {
      questions += 1;
      return mediaConnNode(hostname, questions === 1 ? 'auth' : 'new auth', 60);
    },
  },
  endpoint: { uploadAgent: agent },
  clock: { now: () => 1_700_000_000_999 },
  log: pino({ level: 'silent' }),
});

const send = async (bytes: Uint8Array, as: Host) => {
  host = as;
  requests = 0;
  questions = 0;
  uploads.length = 0;
  const size = { width: 2, height: 1 };
  const file = await encipherBytes(bytes, 'image');
  const image = { file, mimetype: 'image/png', thumbnail: Buffer.from('small'), caption: 'caption', ...size } as const;
  const link = { ...uploader(), uploads: pLimit(1) };
  return (await composeFile(link, { kind: 'image', image }, undefined)).imageMessage!;
};

test('upload: the host gets the encrypted form under its hash, and the message names all that a reader needs', async () => {
  for (const size of [400_000, 2_000_000]) {
    const bytes = randomBytes(size);
    const message = await send(bytes, take);
    const [{ path, body }] = uploads as [Upload];
    const hash = createHash('sha256').update(body).digest();
    const token = hash.toString('base64url');
    assert.equal(path, `/mms/image/${token}?auth=auth&token=${token}`);
    assert.deepEqual(message.fileEncSha256, hash);
    assert.deepEqual(message.fileSha256, createHash('sha256').update(bytes).digest());
    assert.deepEqual([message.url, message.directPath], [`https://${hostname}/there`, '/there']);
    assert.deepEqual([message.fileLength, message.mediaKeyTimestamp], [size, 1_700_000_000]);
    assert.deepEqual(
      [message.mimetype, message.caption, message.width, message.height],
      ['image/png', 'caption', 2, 1],
    );
  }
});

const refusals: readonly (readonly [string, Host])[] = [
  [
    'refuses before it has all',
    (_request, response) => void response.writeHead(401, { connection: 'close' }).end('{}'),
  ],
  ['answers without a place', (request, response) => void request.resume().on('end', () => response.end('{}'))],
  ['answers with something else', (request, response) => void request.resume().on('end', () => response.end('<p>'))],
  [
    'answers without an end',
    (request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x')));
      };
      request.resume().on('end', () => response.on('drain', more) && more());
    },
  ],
  ['ends the connection', (request) => void request.socket.destroy()],
];

for (const [what, refuse] of refusals) {
  test(`upload: a host that ${what} is asked again with a new authorization, and then it has failed`, async () => {
    const bytes = randomBytes(2_000_000);
    await send(bytes, (request, response, count) => (count === 1 ? refuse : take)(request, response, count));
    assert.match(uploads[0]!.path, /\?auth=new%20auth&/);
    const token = createHash('sha256').update(uploads[0]!.body).digest('base64url');
    assert.ok(uploads[0]!.path.includes(token), 'and it gets the whole file then');
    await assert.rejects(send(bytes, refuse), /no media host takes the image/);
    assert.equal(requests, 2);
  });
}
