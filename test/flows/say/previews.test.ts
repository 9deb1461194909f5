/** Previews of links: fetched by the guarded way out, shown on the phone and by stock Baileys; nothing of it fails or holds up a send. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { systemClock } from '../../../src/clock.ts';
import type { Clock } from '../../../src/domain/clock.ts';
import { eventually } from '../../support/wait.ts';
import { bob, type Rig, startRig } from './rig.ts';

const head = '<head><meta property="og:title" content="A &amp; B"><meta name="description" content="Both">';

/** Pages by their paths; `never` answers nothing. */
const serve = async (
  picture: Buffer,
): Promise<{ readonly server: Server; readonly url: string; readonly asked: string[] }> => {
  const asked: string[] = [];
  const pages: Readonly<Record<string, readonly [string, string | Buffer]>> = {
    '/page': ['text/html', `${head}<meta property="og:image" content="/picture.png"></head>${' '.repeat(2_000_000)}`],
    '/plain': ['text/html', '<title>Plain</title><meta property="og:image" content="/never">'],
    '/picture.png': ['image/png', picture],
    '/latin': ['text/html; charset=iso-8859-1', Buffer.from('<title>München</title>', 'latin1')],
    '/nested': ['text/html', `<title>Nested</title>${'<b>'.repeat(170_000)}`],
    '/data': ['application/json', '{"title": "x"}'],
  };
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    if (path === '/never') return;
    if (path === '/moved') return void response.writeHead(302, { location: '/page' }).end();
    const page = pages[path];
    if (page === undefined) return void response.writeHead(404).end('<title>Not found</title>');
    response.writeHead(200, { 'content-type': page[0] }).end(page[1]);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
};

const waiting = new Set<() => void>();
/** The five seconds of a preview are over sooner where the test says so. */
const hurried: Clock = {
  ...systemClock,
  after(ms, run) {
    const over = (): void => {
      timer.cancel();
      waiting.delete(over);
      run();
    };
    const timer = systemClock.after(ms, over);
    if (ms === 5_000) waiting.add(over);
    return {
      cancel() {
        timer.cancel();
        waiting.delete(over);
      },
    };
  },
};

describe('previews of links', () => {
  let rig: Rig;
  let site: Awaited<ReturnType<typeof serve>>;
  before(async () => {
    const red = { create: { width: 300, height: 200, channels: 3 as const, background: 'red' } };
    [rig, site] = await Promise.all([startRig({}, undefined, hurried), serve(await sharp(red).png().toBuffer())]);
  });
  after(async () => {
    site.server.closeAllConnections();
    site.server.close();
    await rig[Symbol.asyncDispose]();
  });
  const sent = async (message: string, more: object = { linkPreview: true }) => {
    const id = await rig.send('text', { toNumber: bob, message, ...more });
    const shown = await rig.shown(bob, id);
    assert.equal(shown['text'], message);
    return {
      id,
      link: shown['link'] ?? null,
      said: (await rig.content(id)).extendedTextMessage,
      logged: await rig.logged(id),
    };
  };

  it('has title, description and picture, also behind a redirect', async () => {
    for (const path of ['/page', '/moved']) {
      const url = `${site.url}${path}`;
      const { id, link, said, logged } = await sent(`Look: ${url}, it is good`);
      const told = { url, title: 'A & B', description: 'Both' };
      assert.deepEqual(link, told);
      assert.deepEqual(logged.link, told);
      assert.partialDeepStrictEqual(said, { matchedText: url, title: 'A & B', description: 'Both', previewType: 0 });
      const { format, width } = await sharp(said!.jpegThumbnail!).metadata();
      assert.deepEqual([format, (width ?? 0) > 0], ['jpeg', true]);
      const { message } = await rig.told('message.sent', (data) => data.message.id === id);
      assert.deepEqual(message.link, told);
    }
  });

  it('is read in the encoding of the answer, outside of the process that serves everybody', async () => {
    const { link } = await sent(`${site.url}/latin`);
    assert.equal((link as { title?: unknown }).title, 'München');
    const started = performance.eventLoopUtilization();
    const nested = await sent(`${site.url}/nested`);
    const { active } = performance.eventLoopUtilization(started);
    assert.equal((nested.link as { title?: unknown }).title, 'Nested');
    assert.ok(active < 2_000, `${active} ms of the event loop`);
  });

  it('is fetched only where it is asked for', async () => {
    const fetched = site.asked.length;
    for (const more of [{}, { linkPreview: false }]) {
      assert.equal((await sent(`Look: ${site.url}/page`, more)).link, null);
    }
    assert.equal(site.asked.length, fetched);
    assert.deepEqual(await rig.refusal('POST', '/text', { toNumber: bob, message: 'x', linkPreview: 'yes' }), [
      400,
      'linkPreview must be true or false',
    ]);
  });

  it('leaves out what cannot be had, and sends the text all the same', async () => {
    const nothing = [
      'no link',
      `${site.url}/data`,
      `${site.url}/gone`,
      'http://127.0.0.1:1/x',
      'http://169.254.169.254/',
    ];
    for (const message of nothing) assert.equal((await sent(message)).link, null, message);
    const sending = Promise.all([sent(`${site.url}/never`), sent(`${site.url}/plain`)]);
    await eventually('both to wait', () => site.asked.filter((path) => path === '/never').length === 2);
    for (const over of waiting) over();
    const [slow, half] = await sending;
    assert.equal(slow.link, null);
    assert.deepEqual(half.link, { url: `${site.url}/plain`, title: 'Plain', description: null });
    assert.ok(!half.said?.jpegThumbnail?.length);
  });

  it('an edit that keeps no link keeps no preview', async () => {
    const { id } = await sent(`${site.url}/page`);
    await rig.call('PUT', `/${id}`, { message: 'never mind' });
    assert.equal((await rig.logged(id)).link, null);
  });
});
