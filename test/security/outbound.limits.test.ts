/** Caps and deadlines on the way out: sizes before and after unpacking, slow answers, broken answers. */
import assert from 'node:assert/strict';
import { type ServerResponse, createServer as createHttpServer } from 'node:http';
import { type AddressInfo, type Socket, createServer as createTcpServer } from 'node:net';
import { test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { makeOutbound } from '../../src/outbound.ts';
import { manualClock } from '../support/clock.ts';
import { eventually } from '../support/wait.ts';
import { failure } from './outbound.support.ts';

const outboundOf = (clock?: ReturnType<typeof manualClock>) =>
  makeOutbound({ allowPrivateUrls: true, userAgent: 'Handset/test', ...(clock === undefined ? {} : { clock }) });

const limits = { maxBytes: 100_000, timeoutMs: 10_000 };

interface Site extends AsyncDisposable {
  readonly url: string;
  readonly served: () => number;
}

const listen = async (server: ReturnType<typeof createTcpServer>, served: () => number): Promise<Site> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/image.png`,
    served,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
};

const site = (respond: (response: ServerResponse) => void): Promise<Site> => {
  let count = 0;
  const server = createHttpServer((request, response) => {
    count += 1;
    request.resume();
    respond(response);
  });
  return listen(server, () => count);
};

const rawSite = (respond: (socket: Socket) => void): Promise<Site> => {
  let count = 0;
  const server = createTcpServer((socket) => {
    count += 1;
    socket.once('data', () => respond(socket));
  });
  return listen(server, () => count);
};

test('a file of exactly the limit is downloaded, one byte more is not', async () => {
  const outbound = outboundOf();
  for (const [bytes, fits] of [
    [100_000, true],
    [100_001, false],
  ] as const) {
    for (const announced of [true, false]) {
      await using server = await site((response) => {
        if (announced) response.setHeader('content-length', bytes);
        response.end(Buffer.alloc(bytes, 7));
      });
      if (fits) {
        assert.equal((await outbound.download(server.url, limits)).length, bytes);
      } else {
        const error = await failure(outbound.download(server.url, limits));
        assert.equal(error.name, 'PayloadTooLarge');
        assert.equal(error.message, 'Request payload too large');
      }
    }
  }
  await outbound.close();
});

test('an endless body is cut at the limit', async () => {
  await using server = await site((response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(16_384))) {
        // Until the other side stops reading.
      }
      response.once('drain', more);
    };
    more();
  });
  const outbound = outboundOf();
  assert.equal((await failure(outbound.download(server.url, limits))).name, 'PayloadTooLarge');
  await outbound.close();
});

test('what a body unpacks to counts, for each encoding', async () => {
  const outbound = outboundOf();
  const small = Buffer.from('an image'.repeat(100));
  const bomb = Buffer.alloc(20_000_000);
  for (const [encoding, pack] of [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const) {
    await using good = await site((response) => response.setHeader('content-encoding', encoding).end(pack(small)));
    assert.deepEqual(Buffer.from(await outbound.download(good.url, limits)), small);
    const packed = pack(bomb);
    assert.ok(packed.length < limits.maxBytes, encoding);
    await using bad = await site((response) => response.setHeader('content-encoding', encoding).end(packed));
    assert.equal((await failure(outbound.download(bad.url, limits))).name, 'PayloadTooLarge', encoding);
    await using broken = await site((response) =>
      response.setHeader('content-encoding', encoding).end('not packed at all'),
    );
    const error = await failure(outbound.download(broken.url, limits));
    assert.equal(error.message, 'mediaUrl was answered with a broken content encoding', encoding);
  }
  for (const encoding of ['aws-chunked', 'utf-8', 'none', 'gzip, gzip']) {
    await using unknown = await site((response) => response.setHeader('content-encoding', encoding).end(small));
    assert.deepEqual(Buffer.from(await outbound.download(unknown.url, limits)), small, encoding);
  }
  await outbound.close();
});

test('the deadline is for the whole download, however the time is spent', async () => {
  const clock = manualClock();
  const outbound = outboundOf(clock);
  const slow = {
    'no answer': await site(() => undefined),
    'a body that stops': await site((response) => {
      response.write('begin');
    }),
    'a header that stops': await rawSite((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-le')),
  };
  for (const [how, server] of Object.entries(slow)) {
    await using running = server;
    const result = failure(outbound.download(running.url, limits));
    await eventually('the request at the server', () => running.served() > 0);
    await clock.advance(10_000);
    const error = await result;
    assert.equal(error.name, 'InvalidRequest', how);
    assert.equal(error.message, 'mediaUrl cannot be downloaded: no complete answer within 10 s', how);
  }
  assert.equal(clock.waiting, 0, 'no timer is left behind');
  await outbound.close();
});

test('an answer that drips within the pauses of a socket timeout still meets the deadline', async () => {
  await using server = await site((response) => {
    const drip = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(drip));
  });
  const outbound = outboundOf();
  const error = await failure(outbound.download(server.url, { maxBytes: 100_000, timeoutMs: 300 }));
  assert.match(error.message, /no complete answer/);
  await outbound.close();
});

test('answers that are no good are told apart, in words for the caller', async () => {
  const outbound = outboundOf();
  const table = [
    ['HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n', /^mediaUrl was answered with HTTP 404$/],
    ['HTTP/1.1 206 Partial Content\r\ncontent-length: 0\r\n\r\n', /^mediaUrl was answered with HTTP 206$/],
    ['HTTP/1.1 302 Found\r\ncontent-length: 0\r\n\r\n', /^mediaUrl was answered with HTTP 302$/],
    ['SSH-2.0-OpenSSH_9.6\r\n', /^mediaUrl cannot be downloaded: the answer is not valid HTTP$/],
    ['HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort', /^mediaUrl cannot be downloaded: the connection /],
    [
      `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(40_000)}\r\n\r\n`,
      /^mediaUrl cannot be downloaded: the headers of the answer are too large$/,
    ],
  ] as const;
  for (const [answer, expected] of table) {
    await using server = await rawSite((socket) => socket.end(answer));
    const error = await failure(outbound.download(server.url, limits));
    assert.equal(error.name, 'InvalidRequest', answer.slice(0, 40));
    assert.match(error.message, expected);
    assert.doesNotMatch(error.message, /127\.0\.0\.1|undici|\.ts/);
  }
  await outbound.close();
});

test('a URL whose host is unknown or refuses is told in words', async () => {
  const resolve = (): Promise<never> => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }));
  const outbound = makeOutbound({ allowPrivateUrls: true, userAgent: 'Handset/test', resolve });
  const unknown = await failure(outbound.download('http://nowhere.example.com/', limits));
  assert.equal(unknown.message, 'mediaUrl cannot be downloaded: the host name was not found');
  const refused = await failure(outbound.post('http://127.0.0.1:1/', { headers: {}, body: '', timeoutMs: 5000 }));
  assert.equal(refused.message, 'the connection was refused');
  await outbound.close();
});
