/** The page of the network that tells the client revision: how it is read, and what a bad one changes (nothing). */
import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import type { Clock } from '../../../src/domain/clock.ts';
import { makeOutbound } from '../../../src/outbound.ts';
import { readRevision, revisionOn } from '../../../src/whatsapp/login/client-version/pages.ts';
import { manualClock } from '../../support/clock.ts';
import { eventually } from '../../support/wait.ts';
import { bundled, start, versionsWith } from './client-version.support.ts';

describe("the network's page", () => {
  const pages: Readonly<Record<string, readonly [page: string, revision: number]>> = {
    'the service worker': [
      'self.__swData=JSON.parse(/*BTDS*/"{\\"dynamic_data\\":{\\"SiteData\\":{\\"server_revision\\":1026131876,\\"client_revision\\":1026131876,\\"push_phase\\":\\"C3\\"}}}");',
      1_026_131_876,
    ],
    'plain JSON': ['{"client_revision":1040229458,"x":1}', 1_040_229_458],
    'JSON with spaces': ['{ "client_revision" :  1040229458 }', 1_040_229_458],
    'the first of several': ['{"client_revision":1040229458},{"client_revision":1040229459}', 1_040_229_458],
  };
  for (const [name, [page, revision]] of Object.entries(pages)) {
    it(`is read: ${name}`, () => assert.equal(revisionOn(page), revision));
  }

  const bad: Readonly<Record<string, readonly [page: string, problem: RegExp]>> = {
    empty: ['', /^the page is empty$/],
    'only white space': [' \n ', /^the page is empty$/],
    HTML: ['<!doctype html><title>WhatsApp Web</title><p>Your browser is not supported</p>', /no client_revision/],
    'a name without quotes': ['client_revision:1040229458', /no client_revision/],
    'a revision that is text': ['{"client_revision":"soon"}', /no client_revision/],
    'a negative revision': ['{"client_revision":-1040229458}', /no client_revision/],
    'a revision of the year before': ['{"client_revision":42}', /out of range/],
    'a revision of more than 32 bits': ['{"client_revision":4294967296}', /out of range/],
    'a number that is endless': [`{"client_revision":${'9'.repeat(100_000)}}`, /no client_revision/],
  };
  for (const [name, [page, problem]] of Object.entries(bad)) {
    it(`is not believed: ${name}`, () => assert.throws(() => revisionOn(page), { message: problem }));
  }
});

/** A page of our own, over the guarded way out. */
const served = async (serve: RequestListener, clock?: Clock) => {
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    serve(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/sw.js`;
  const outbound = makeOutbound({ allowPrivateUrls: true, userAgent: 'Handset/test', ...(clock && { clock }) });
  return {
    url,
    requests,
    read: () => readRevision(outbound.read, url),
    async [Symbol.asyncDispose]() {
      await outbound.close();
      server.closeAllConnections();
      server.close();
    },
  };
};

const pageOf = (revision: number): string => `self.x=JSON.parse("{\\"client_revision\\":${revision}}")`;

describe('a look at the page', () => {
  it('has the headers that the network demands, and no others that name the service', async () => {
    let headers: unknown;
    await using page = await served((request, response) => {
      headers = request.headers;
      response.end(pageOf(bundled + 5));
    });
    assert.equal(await page.read(), bundled + 5);
    const { 'user-agent': agent, 'sec-fetch-site': site } = headers as Record<string, string>;
    assert.match(agent!, /Chrome\/\d+/);
    assert.doesNotMatch(agent!, /Handset/);
    assert.equal(site, 'none');
  });

  it('goes to the root page where the service worker tells nothing, as a browser that opens it', async () => {
    let headers: Record<string, unknown> = {};
    await using page = await served((request, response) => {
      if (request.url !== '/') return void response.writeHead(400).end();
      ({ headers } = request);
      response.end(
        `<!DOCTYPE html><script>x({"server_revision":1,"client_revision":${bundled + 6},"tier":1})</script>`,
      );
    });
    assert.equal(await page.read(), bundled + 6);
    assert.deepEqual(page.requests, ['GET /sw.js', 'GET /']);
    assert.match(String(headers['user-agent']), /Chrome\/\d+/);
    const names = ['sec-fetch-dest', 'sec-fetch-mode', 'sec-fetch-site', 'sec-fetch-user'];
    assert.deepEqual(
      names.map((name) => headers[name]),
      ['document', 'navigate', 'none', '?1'],
    );
  });

  it('says what is wrong with both pages', async () => {
    await using page = await served((request, response) =>
      request.url === '/' ? response.end('<!DOCTYPE html>') : response.writeHead(400).end(),
    );
    await assert.rejects(page.read(), {
      message: 'the page was answered with HTTP 400; of the root page: the page has no client_revision',
    });
  });

  const bad: Readonly<Record<string, readonly [serve: RequestListener, problem: RegExp]>> = {
    HTML: [(_, response) => response.end('<!doctype html><h1>Sign in to the hotel</h1>'), /no client_revision/],
    'an empty page': [(_, response) => response.end(), /the page is empty/],
    '10 MB that say so': [(_, response) => response.end(Buffer.alloc(10_485_760, 'x')), /the page is larger than 2 MB/],
    '10 MB in chunks': [
      (_, response) => {
        for (let n = 0; n < 160; n += 1) response.write(Buffer.alloc(65_536, ' '));
        response.end(pageOf(bundled + 9));
      },
      /the page is larger than 2 MB/,
    ],
    'a redirect': [
      (request, response) => {
        if (request.url === '/elsewhere') response.end(pageOf(bundled + 9));
        else response.writeHead(302, { location: '/elsewhere' }).end();
      },
      /HTTP 302/,
    ],
    'a refusal': [(_, response) => response.writeHead(400).end(pageOf(bundled + 9)), /HTTP 400/],
    'a connection that is cut': [(request) => request.socket.destroy(), /connection/],
    'a strange encoding': [
      (_, response) => response.writeHead(200, { 'content-encoding': 'zstd' }).end(pageOf(bundled + 9)),
      /the page was answered with a broken content encoding/,
    ],
  };
  for (const [name, [serve, problem]] of Object.entries(bad)) {
    it(`${name}: ignored with a line in the log, and counted`, async () => {
      await using page = await served(serve);
      const lines: string[] = [];
      const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
      const versions = versionsWith({ fetch: page.read, log });
      await versions.start();
      const check = await eventually('a look', () => versions.status().lastCheck);
      assert.equal(check.outcome, 'failed');
      assert.match(check.detail!, problem);
      assert.equal(versions.status().checks.failed, 1);
      assert.deepEqual([versions.current.revision, versions.current.source], [bundled, 'bundled']);
      assert.deepEqual(page.requests, ['GET /sw.js', 'GET /'], 'a redirect is not followed');
      assert.ok(lines.some((line) => line.includes("the network's pages gave no newer client version")));
      await versions.stop();
    });
  }

  it('that gets no answer, or half of one, ends after six seconds for each page', async () => {
    for (const serve of [
      () => undefined,
      (_: unknown, response: { write(text: string): unknown }) => response.write('x'),
    ]) {
      const clock = manualClock(start);
      await using page = await served(serve, clock);
      const versions = versionsWith({ fetch: page.read, clock });
      await versions.start();
      await eventually('the request', () => page.requests.length > 0);
      await clock.advance(6_000);
      await eventually('the request for the other page', () => page.requests.length > 1);
      assert.equal(versions.status().lastCheck, null);
      await clock.advance(6_000);
      const check = await eventually('the end', () => versions.status().lastCheck);
      assert.match(check.detail!, /no complete answer within 6 s/);
      await versions.stop();
    }
  });

  it('reaches no private address on the real network', async () => {
    await using page = await served((_, response) => response.end(pageOf(bundled + 1)));
    const guarded = makeOutbound({ allowPrivateUrls: false, userAgent: 'Handset/test' });
    await assert.rejects(readRevision(guarded.read, page.url), /private or reserved address/);
    assert.deepEqual(page.requests, []);
    await guarded.close();
  });
});
