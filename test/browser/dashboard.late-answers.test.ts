/** Live lists: events that overtake the answer to a request, and the events themselves. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page, Route } from 'playwright-core';
import { ada, addPhones, bob, linkDevice } from '../flows/steps.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { eventually } from '../support/wait.ts';
import { launch, openPage, skip, withoutSnapshot } from './browser.ts';
import { signIn } from './scenes.ts';

let installation: Installation;
let browser: Browser;
let receiver: Receiver;

before(async () => {
  if (skip !== false) return;
  [installation, receiver, browser] = await Promise.all([startInstallation(), startReceiver(), launch()]);
  await addPhones(installation);
});

after(async () => {
  await browser?.close();
  await receiver?.close();
  await installation?.[Symbol.asyncDispose]();
});

/** Holds back the next answer of an address, until `release`. */
const holdAnswer = async (page: Page, address: string) => {
  const read = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const hold = async (route: Route): Promise<void> => {
    const response = await route.fetch();
    read.resolve();
    await released.promise;
    await route.fulfill({ response });
  };
  await page.route(address, hold, { times: 1 });
  return { untilRead: read.promise, release: released.resolve };
};

const disconnect = async (device: number): Promise<void> => {
  assert.equal((await installation.api.post(`/devices/${device}/disconnect`, {})).status, 200);
};

test('a message that arrives while the chats load is shown', { skip }, async () => {
  const device = await linkDevice(installation);
  const { page } = await openPage(browser, installation.handset.url);
  await signIn(page);
  const { untilRead, release } = await holdAnswer(page, `**/v1/devices/${device}/chats?*`);
  await page.evaluate(`location.hash = '/devices/${device}/chat/${bob}'`);
  await untilRead;
  await installation.phones.write(bob, { to: ada, text: 'Hello' });
  await eventually('the message is stored', async () => {
    const { messages } = (await installation.api.get(`/devices/${device}/messages`)).body;
    return messages.length === 1;
  });
  // The stream is in order: once the page shows this event, it has had the message as well.
  await disconnect(device);
  await page.locator('.state-line').getByText('Not connected').first().waitFor();
  release();
  await page.getByRole('log', { name: 'Messages in this conversation' }).getByText('Hello').waitFor();
  await page.context().close();
});

test('a device that is created while the list loads is shown', { skip }, async () => {
  const { page } = await openPage(browser, installation.handset.url);
  await withoutSnapshot(page);
  const { untilRead, release } = await holdAnswer(page, '**/v1/devices');
  const { devices } = (await installation.api.get('/devices')).body;
  const next = Math.max(...devices.map(({ id }: { id: number }) => id)) + 1;
  await signIn(page);
  await page.evaluate(`location.hash = '/devices/${next}'`);
  await page.getByRole('complementary', { name: 'Sandbox phone' }).getByRole('log').waitFor();
  await untilRead;
  // The phone is asked again when an event of the device on the page arrives.
  const seen = page.waitForRequest('**/sandbox/phones');
  const { device } = (await installation.api.post('/devices', { name: 'Night shift' })).body;
  assert.equal(device.id, next);
  await seen;
  release();
  await page.getByRole('heading', { name: 'Night shift' }).waitFor();
  await installation.api.delete(`/devices/${next}`);
  await page.context().close();
});

test('a device that is disconnected while the list is read again stays disconnected', { skip }, async () => {
  const device = await linkDevice(installation, ada, { name: 'Front desk' });
  const { page } = await openPage(browser, installation.handset.url);
  await signIn(page);
  const card = page.getByRole('row', { name: /Front desk/ });
  await card.getByText('Connected', { exact: true }).waitFor();
  const { untilRead, release } = await holdAnswer(page, '**/v1/devices');
  // Its first event tells the page of a device that it does not know.
  await installation.api.post('/devices', { name: 'Night shift' });
  await untilRead;
  await disconnect(device);
  await card.getByText('Not connected').waitFor();
  release();
  await page.getByRole('link', { name: /Night shift/ }).waitFor();
  await card.getByText('Not connected').waitFor();
  assert.equal(await card.getByText('Connected', { exact: true }).count(), 0);
  await page.context().close();
});

test('a further page that comes after the list was read again leaves no gap', { skip }, async () => {
  const device = await linkDevice(installation, ada, { webhookUrl: `${receiver.url}/hook` });
  const write = async (count: number): Promise<void> => {
    const earlier = receiver.received.length;
    await installation.phones.write(bob, { to: ada, text: 'Number {n}', count });
    await receiver.until(earlier + count);
  };
  await write(60);
  const { page } = await openPage(browser, installation.handset.url);
  await signIn(page);
  await page.evaluate(`location.hash = '/devices/${device}/deliveries'`);
  const more = page.getByRole('button', { name: 'Load more' });
  const { untilRead, release } = await holdAnswer(page, `**/v1/devices/${device}/deliveries?*cursor=*`);
  await more.click();
  await untilRead;
  await write(10);
  const [again] = await Promise.all([
    page.waitForResponse((response) => /\/deliveries\?limit=\d+$/.test(response.url())),
    page.getByRole('button', { name: /^Refresh/ }).click(),
  ]);
  await again.finished();
  release();
  await eventually('all pages are read', async () => {
    if (await more.isVisible()) await more.click();
    return !(await more.isVisible());
  });
  const { deliveries } = (await installation.api.get(`/devices/${device}/deliveries?limit=1000`)).body;
  await eventually(
    'every delivery is listed',
    async () => (await page.locator('tr[data-delivery]').count()) === deliveries.length,
  );
  await page.context().close();
});

test('the newest events are there at once, new ones stream in, and older ones come on demand', { skip }, async () => {
  const device = await linkDevice(installation);
  const { page } = await openPage(browser, installation.handset.url);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await installation.phones.write(bob, { to: ada, text: 'Hello' });
  await signIn(page);
  await page.evaluate(`location.hash = '/devices/${device}/events'`);
  const listed = page.locator('summary');
  await listed.filter({ hasText: 'message.received' }).first().waitFor();
  await button('Pause').click();
  const earlier = await listed.count();
  await installation.phones.write(bob, { to: ada, text: 'While paused {n}', count: 60 });
  await button('Resume (60 new)').click();
  await eventually('all are listed', async () => (await listed.count()) === earlier + 60);
  assert.match((await listed.first().textContent()) ?? '', /message\.received/);
  await page.getByLabel('Type').selectOption('message.received');
  await button('Load older events').click();
  await page.getByText('Start of the log').waitFor();
  assert.ok((await listed.count()) > 60);
  await page.context().close();
});
