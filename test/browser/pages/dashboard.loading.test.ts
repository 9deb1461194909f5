/** What a page waits for, what it asks the service for, and what it does not. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { ada, addPhones, bob, linkDevice, untilChat } from '../../flows/steps.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { eventually } from '../../support/wait.ts';
import { launch, openPage, skip } from '../browser.ts';
import { kinds } from '../message-kinds.ts';
import { signIn } from '../scenes.ts';

const carol = '4915550004444';
const dora = '4915550007777';

let installation: Installation;
let browser: Browser;
let device: number;

before(async () => {
  if (skip !== false) return;
  [installation, browser] = await Promise.all([startInstallation(), launch()]);
  await addPhones(installation);
  await installation.phones.add(carol, 'Carol');
  device = await linkDevice(installation, ada, { name: 'Front desk' });
  for (const person of [bob, carol]) {
    await installation.phones.write(person, { to: ada, text: 'Good morning' });
    await untilChat(installation, device, person);
  }
});

after(async () => {
  await browser?.close();
  await installation?.[Symbol.asyncDispose]();
});

const open = async (): Promise<Page> => {
  const { page } = await openPage(browser, installation.handset.url, { viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(12_000);
  return page;
};

test('the first paint does not wait for the grouping of numbers', { skip }, async () => {
  const page = await open();
  const loaded = Promise.withResolvers<void>();
  await page.route(/\/numbers-[\w-]+\.js$/, async (route) => {
    await loaded.promise;
    await route.continue();
  });
  await page.reload();
  await signIn(page);
  await page.evaluate(`location.hash = '/devices/${device}/chat/${bob}'`);
  await page.locator('.state-line').getByText(`+${ada}`).waitFor();
  loaded.resolve();
  await page.locator('.state-line').getByText('+49 15550 001111').waitFor();
  await page.context().close();
});

test('a video that is too large to load by itself has its first picture', { skip }, async () => {
  await installation.phones.add(dora, 'Dora');
  await installation.phones.write(dora, { to: ada, ...kinds.find(({ name }) => name === 'a video')!.body });
  const page = await open();
  await signIn(page);
  // A file of this size, whose beginning has all that a player needs.
  const clip = await readFile(join(import.meta.dirname, '../files/clip.mp4'));
  await page.route(/\/v1\/.*\/messages\?/, async (route) => {
    const { messages, ...rest } = await (await route.fetch()).json();
    const large = messages.map((one: { media: object | null }) => ({
      ...one,
      media: one.media === null ? null : { ...one.media, bytes: 30_000_000 },
    }));
    await route.fulfill({ json: { ...rest, messages: large } });
  });
  const ranges: (string | undefined)[] = [];
  await page.route(/\/media\?/, (route) => {
    ranges.push(route.request().headers().range);
    return route.fulfill({ status: 206, contentType: 'video/mp4', body: clip });
  });
  await page.evaluate(`location.hash = '/devices/${device}/chat/${dora}'`);
  await eventually('the first picture', () =>
    page.evaluate<boolean>('document.querySelector(".log .awaited video")?.readyState >= 2'),
  );
  assert.deepEqual(ranges, ['bytes=0-1999999']);
  await page.getByRole('log').getByRole('button', { name: 'Show video' }).click();
  await page.locator('.log video[controls]').waitFor();
  assert.deepEqual(ranges, ['bytes=0-1999999', undefined], 'the whole file, once it is wanted');
  await page.context().close();
});

test('an open conversation that is loaded again costs two requests, and another chat one', { skip }, async () => {
  const page = await open();
  // Without the phone of the sandbox beside it.
  await page.route('**/session/snapshot?*', async (route) => {
    const told = await (await route.fetch()).json();
    told.answers['/v1/me'].service.network = 'whatsapp';
    await route.fulfill({ json: told });
  });
  await signIn(page);
  await page.evaluate(`location.hash = '/devices/${device}/chat/${bob}'`);
  const log = page.getByRole('log', { name: 'Messages in this conversation' });
  await log.getByText('Good morning').waitFor();
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/(?:v1|session|sandbox)\//.test(pathname)) asked.push(pathname.replace(`/v1/devices/${device}/`, ''));
  });
  await page.reload();
  await log.getByText('Good morning').waitFor();
  assert.deepEqual(asked.splice(0), ['/v1/events', '/session/snapshot']);
  await page.evaluate(`location.hash = '/devices/${device}/chat/${carol}'`);
  await page.getByRole('heading', { name: 'Carol', level: 2 }).waitFor();
  await log.getByText('Good morning').waitFor();
  assert.deepEqual(asked, ['messages']);
  await page.context().close();
});
