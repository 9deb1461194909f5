/** Messages whose answers are lost, refused or late: the dashboard never sends one twice, and never forgets one. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Locator, Page, Request } from 'playwright-core';
import { addPhones, bob, linkDevice, untilShown } from '../flows/steps.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { type Proxy, startProxy } from '../support/proxies/proxy.ts';
import { eventually } from '../support/wait.ts';
import { launch, openPage, skip, violationsOn } from './browser.ts';
import { picture, signIn } from './scenes.ts';

let installation: Installation;
let browser: Browser;
let proxy: Proxy;
let page: Page;
let device: number;
/** The requests that send, in their order. */
const requests: Request[] = [];

before(async () => {
  if (skip !== false) return;
  [installation, browser, proxy] = await Promise.all([startInstallation(), launch(), startProxy()]);
  proxy.lead(Number(new URL(installation.handset.url).port));
  await addPhones(installation);
  device = await linkDevice(installation);
  ({ page } = await openPage(browser, `http://127.0.0.1:${proxy.port}`));
  page.on('request', (request) => {
    if (/\/messages\/\w+$/.test(request.url()) && request.method() === 'POST') requests.push(request);
  });
  await page.clock.install();
  await signIn(page);
  await page.evaluate(`location.hash = '/devices/${device}'`);
  await page.getByLabel('To', { exact: true }).first().fill(bob);
});

after(async () => {
  await browser?.close();
  await proxy?.close();
  await installation?.[Symbol.asyncDispose]();
});

const log = (): Locator => page.getByRole('log', { name: 'Messages in this conversation' });
const bubble = (text: string): Locator => log().getByRole('listitem').filter({ hasText: text });
const write = async (text: string): Promise<void> => {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
};
const delivered = (text: string): Promise<void> => bubble(text).getByRole('img', { name: 'Delivered' }).waitFor();
/** Once on the phone, and once in the log of the page. */
const once = async (text: string): Promise<void> => {
  await untilShown(installation, bob, text);
  await delivered(text);
  const shown = (await installation.phones.messages(bob)).filter((message) => message.text === text);
  assert.equal(shown.length, 1, 'messages on the phone');
  assert.equal(await bubble(text).count(), 1, 'bubbles');
};
const keysOf = (text: string): Set<string | undefined> =>
  new Set(
    requests
      .filter((request) => request.postDataJSON().message === text)
      .map((request) => request.headers()['idempotency-key']),
  );

/** The service does what is asked, and no answer arrives. */
const loseAnswers = (): Promise<unknown> =>
  page.route('**/messages/text', async (route) => {
    await route.fetch();
    await route.abort('timedout');
  });

test('a message whose connection breaks in the place of the answer is sent once', { skip }, async () => {
  const swallowed = proxy.swallow('"success","messageId"');
  await write('Broken off');
  await swallowed;
  await once('Broken off');
});

test('a message that does not reach the service is sent by itself a moment later', { skip }, async () => {
  await page.route('**/messages/text', (route) => route.abort(), { times: 1 });
  await write('Second try');
  await bubble('Second try').getByText('No answer from Handset. Trying again…').waitFor();
  await page.clock.fastForward(1000);
  await once('Second try');
});

test(
  'a message without any answer stays, over a reload as well, and a retry does not send it twice',
  { skip },
  async () => {
    await loseAnswers();
    await write('Never answered');
    const retry = bubble('Never answered').getByRole('button', { name: 'Retry' });
    await eventually('the page gives up', async () => {
      await page.clock.fastForward(10_000);
      return retry.isVisible();
    });
    assert.deepEqual(await violationsOn(page), []);
    const tried = requests.filter((request) => request.postDataJSON().message === 'Never answered').length;
    assert.equal(tried, 4);
    await page.reload();
    await retry.waitFor();
    await page.unroute('**/messages/text');
    await retry.click();
    await retry.waitFor({ state: 'detached' });
    await once('Never answered');
    assert.equal(keysOf('Never answered').size, 1, 'one key for all requests');
    assert.equal((await installation.api.get(`/devices/${device}`)).body.device.messagesSent, 3);
  },
);

test('a message that is refused says why, and is sent by a retry', { skip }, async () => {
  await installation.phones.faults({ rejectSends: true });
  await write('Refused at first');
  await bubble('Refused at first')
    .getByText(/^Failed to send message/)
    .waitFor();
  await page.getByRole('list', { name: 'Conversations' }).getByText('Not sent: Refused at first').waitFor();
  await installation.phones.faults({});
  await bubble('Refused at first').getByRole('button', { name: 'Retry' }).click();
  await once('Refused at first');
  assert.equal(keysOf('Refused at first').size, 1);
});

test('a message that is discarded is not sent', { skip }, async () => {
  const sent = requests.length;
  await page.route(
    '**/messages/text',
    (route) => route.fulfill({ status: 429, json: { status: { code: 429, message: 'Slow down' } } }),
    { times: 1 },
  );
  await write('Not meant');
  await bubble('Not meant').getByText('Slow down').waitFor();
  await bubble('Not meant').getByRole('button', { name: 'Discard' }).click();
  await bubble('Not meant').waitFor({ state: 'detached' });
  await page.reload();
  await bubble('Refused at first').first().waitFor();
  assert.equal(await bubble('Not meant').count(), 0);
  assert.equal(requests.length, sent + 1);
});

test(
  'messages to a chat keep their order although the first one is slow, and a picture survives a reload',
  { skip },
  async () => {
    const held = Promise.withResolvers<void>();
    await page.route('**/messages/media', () => held.resolve(), { times: 1 });
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'parcel.png', mimeType: 'image/png', buffer: picture() });
    await page.getByAltText('Preview of parcel.png').waitFor();
    await write('The picture');
    await write('The text after it');
    await held.promise;
    await bubble('The text after it').getByRole('img', { name: 'Waiting' }).waitFor();
    await bubble('The picture').getByRole('img', { name: 'parcel.png' }).waitFor();
    await page.reload();
    await delivered('The picture');
    await once('The text after it');
    const shown = (await installation.phones.messages(bob)).slice(-2);
    assert.deepEqual(
      shown.map(({ text, image }) => text ?? image?.caption),
      ['The picture', 'The text after it'],
    );
    assert.equal(await page.evaluate('sessionStorage.getItem("handset.outbox")'), null);
  },
);

test('a large file is uploaded with a bar, a text overtakes it, and Cancel leaves nothing', { skip }, async () => {
  const held = Promise.withResolvers<void>();
  await page.route('**/files', async (route) => {
    await held.promise;
    await route.continue();
  });
  const folder = await mkdtemp(join(tmpdir(), 'handset-upload-'));
  const attach = async (name: string, caption: string): Promise<void> => {
    const path = join(folder, name);
    await writeFile(path, randomBytes(11_000_000));
    await page.locator('input[type=file]').setInputFiles(path);
    await page.getByText(name).first().waitFor();
    await write(caption);
  };
  try {
    await attach('backup.bin', 'The backup');
    await attach('mistake.bin', 'The mistake');
    await bubble('The backup').getByRole('progressbar', { name: 'Upload' }).waitFor();
    await bubble('The backup').getByText('0%').waitFor();
    assert.deepEqual(await violationsOn(page), []);
    await write('Overtakes it');
    await once('Overtakes it');
    await bubble('The mistake').getByRole('button', { name: 'Cancel' }).click();
    await bubble('The mistake').waitFor({ state: 'detached' });
    held.resolve();
    const shown = await eventually('the file arrives', async () =>
      (await installation.phones.messages(bob)).find((message) => JSON.stringify(message).includes('The backup')),
    );
    assert.match(JSON.stringify(shown), /backup\.bin/);
    assert.doesNotMatch(JSON.stringify(await installation.phones.messages(bob)), /mistake/);
  } finally {
    held.resolve();
    await page.unroute('**/files');
    await rm(folder, { recursive: true, force: true });
  }
});

test('signing out forgets what is unsent', { skip }, async () => {
  await page.route('**/messages/text', (route) => route.fulfill({ status: 500, json: {} }), { times: 1 });
  await write('A secret');
  await bubble('A secret').getByRole('button', { name: 'Retry' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.doesNotMatch(await page.evaluate<string>('JSON.stringify(sessionStorage)'), /secret/);
});
