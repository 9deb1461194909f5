/** What the pages tell at a glance: who, what and when, in the words and numbers of the reader. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { ada, addPhones, bob, linkDevice, untilShown } from '../../flows/steps.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { eventually } from '../../support/wait.ts';
import { launch, openPage, skip, violationsOn, withoutSnapshot } from '../browser.ts';
import { kinds } from '../message-kinds.ts';
import { adminToken, signIn, signInAsOperator } from '../scenes.ts';

let installation: Installation;
let receiver: Receiver;
let browser: Browser;
let device: number;

before(async () => {
  if (skip !== false) return;
  [installation, receiver, browser] = await Promise.all([
    startInstallation({ HANDSET_ADMIN_TOKEN: adminToken }),
    startReceiver(),
    launch(),
  ]);
  await addPhones(installation);
  device = await linkDevice(installation, ada, { name: 'Front desk', webhookUrl: `${receiver.url}/hook` });
  await installation.phones.write(bob, { to: ada, text: 'Are you open?' });
  await untilShown(installation, bob, 'Are you open?');
});

after(async () => {
  await browser?.close();
  await receiver?.close();
  await installation?.[Symbol.asyncDispose]();
});

const desk = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

const open = async (hash: string, options: Parameters<typeof openPage>[2] = {}): Promise<Page> => {
  const { page } = await openPage(browser, installation.handset.url, { viewport: desk, ...options });
  page.setDefaultTimeout(12_000);
  await signIn(page);
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  return page;
};
const logOf = (page: Page) => page.getByRole('log', { name: 'Messages in this conversation' });

test('on a phone, events of every kind are as high as two lines at most', { skip }, async () => {
  const pinned = { pinned: true };
  await eventually(
    'the chat is pinned',
    async () => (await installation.api.put(`/devices/${device}/chats/${bob}`, pinned)).status === 200,
  );
  const page = await open(`/devices/${device}/events`, { viewport: phone });
  const lines = page.locator('.event-list summary');
  await lines.filter({ hasText: 'chat.updated' }).first().waitFor();
  const heights = await Promise.all((await lines.all()).map(async (line) => (await line.boundingBox())!.height));
  assert.ok(Math.max(...heights) < 60, heights.join());
  await page.context().close();
});

test('events and deliveries say whose chat they are of, what was written and the second', { skip }, async () => {
  const page = await open(`/devices/${device}/events`);
  const event = page.locator('summary', { hasText: 'message.received' }).first();
  await event.getByText('Bob · Are you open?').waitFor();
  assert.match((await event.locator('time').textContent()) ?? '', /^\d\d:\d\d:\d\d$/);
  await page.evaluate(`location.hash = '/devices/${device}/deliveries'`);
  const delivery = page.getByRole('row').filter({ hasText: 'message.received' }).first();
  await delivery.getByText('Bob · Are you open?').waitFor();
  assert.match((await delivery.locator('time').textContent()) ?? '', /^\d\d:\d\d:\d\d$/);
  await page.context().close();
});

test('a delivery that is retried stays within its card beside the sandbox phone and on a phone', { skip }, async () => {
  receiver.answer({ status: 500, body: '' });
  await installation.phones.write(bob, { to: ada, text: 'And now?' });
  for (const width of [1280, 375]) {
    const page = await open(`/devices/${device}/deliveries`, { viewport: { width, height: 900 } });
    // All in one step: the rows change as attempts end.
    const row = page.locator('tr[data-delivery="pending"]', { has: page.getByText('Retrying', { exact: true }) });
    const parts = ['.dim', '.delivery-again', 'button.link', '.badge'];
    const [card, result, again, kind, state] = await row
      .first()
      .evaluate(
        (one, names) =>
          [one.closest('section.card'), ...names.map((name) => one.querySelector(name))].map((part) =>
            part!.getBoundingClientRect().toJSON(),
          ),
        parts,
      );
    assert.ok(again.right <= card.right, 'the button is in the card');
    assert.ok(result.width > card.width / 2, `the result has ${result.width} of ${card.width}`);
    assert.ok(kind.right <= state.left || kind.bottom <= state.top, 'nothing is upon the kind');
    await page.context().close();
  }
  receiver.answer({ status: 204 });
});

test('devices and users have a date, and a device that was never linked is no failure', { skip }, async () => {
  const { body } = await installation.api.post('/devices', { name: 'Not yet' });
  await installation.api.put(`/devices/${body.device.id}`, { subscription_status: 'inactive' });
  await installation.api.put(`/devices/${body.device.id}`, { subscription_status: 'active' });
  const path = '**/v1/devices';
  const page = await open('/keys');
  // As it is when nobody has scanned the code.
  const late = (all: readonly { id: number }[]) =>
    all.map((one) => (one.id === body.device.id ? { ...one, status: 'timeout', qr: null } : one));
  await withoutSnapshot(page);
  await page.route(path, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ json: { devices: late((await answer.json()).devices) } });
  });
  await page.reload();
  await page.evaluate(`location.hash = '/devices'`);
  const row = page.getByRole('row').filter({ hasText: 'Not yet' });
  await row.locator('.badge.calm').waitFor();
  const date = /^\d{1,2} [A-Z][a-z]{2,3} 20\d\d$/;
  assert.match((await row.getByRole('cell').last().textContent()) ?? '', date);
  await page.context().close();
  const operator = await openPage(browser, installation.handset.url, { viewport: desk });
  await signInAsOperator(operator.page);
  const user = operator.page.getByRole('row').nth(1);
  assert.match((await user.locator('[data-label="Created"]').textContent()) ?? '', date);
  await operator.page.context().close();
  await installation.api.delete(`/devices/${body.device.id}`);
});

test('numbers are grouped as their country writes them, and copied as digits', { skip }, async () => {
  await installation.api.post('/suppressions', { number: '5511961234567' });
  const page = await open('/suppressions');
  const number = page.getByRole('rowheader', { name: '+55 11 96123 4567' });
  await number.waitFor();
  await number.click({ clickCount: 3 });
  await page.keyboard.press('Control+C');
  assert.equal((await page.evaluate<string>('navigator.clipboard.readText()')).trim(), '+5511961234567');
  await page.context().close();
});

test('marks in a text are shown as on the phone', { skip }, async () => {
  await installation.phones.write(bob, { to: ada, text: '*Today* _only_ ~10~ `A1` for snake_case_names' });
  const page = await open(`/devices/${device}/chat/${bob}`);
  const bubble = logOf(page).getByRole('listitem').filter({ hasText: 'Today' }).last();
  await bubble.locator('strong', { hasText: /^Today$/ }).waitFor();
  await bubble.locator('em', { hasText: /^only$/ }).waitFor();
  await bubble.locator('s', { hasText: /^10$/ }).waitFor();
  await bubble.locator('code', { hasText: /^A1$/ }).waitFor();
  await bubble.getByText('for snake_case_names').waitFor();
  assert.deepEqual(await violationsOn(page), []);
  await page.context().close();
});

test('a video has its picture, and an empty conversation says that it is', { skip }, async () => {
  const carol = '4915550004444';
  await installation.phones.add(carol, 'Carol');
  await installation.phones.write(carol, { to: ada, ...kinds.find(({ name }) => name === 'a video')!.body });
  const page = await open(`/devices/${device}/chat/${carol}`);
  const video = logOf(page).locator('video');
  await video.waitFor();
  await page.waitForFunction('document.querySelector(".log video").readyState >= 2');
  assert.equal(await page.evaluate('document.querySelector(".log video").paused'), true, 'it waits for a click');
  await withoutSnapshot(page);
  await page.route('**/messages?*', (route) => route.fulfill({ json: { messages: [], nextCursor: null } }));
  await page.reload();
  await logOf(page).getByText('No messages in this conversation').waitFor();
  assert.deepEqual(await violationsOn(page), []);
  await page.context().close();
});

test('a device is deleted once its name was typed', { skip }, async () => {
  const { body } = await installation.api.post('/devices', { name: 'Old till' });
  const page = await open(`/devices/${body.device.id}/settings`);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const confirm = dialog.getByRole('button', { name: 'Delete' });
  assert.equal(await confirm.isEnabled(), false);
  await dialog.getByLabel('Type “Old till” to confirm').fill('Old til');
  assert.equal(await confirm.isEnabled(), false);
  await dialog.getByLabel('Type “Old till” to confirm').fill('Old till');
  assert.deepEqual(await violationsOn(page), []);
  await confirm.click();
  await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
  assert.equal((await installation.api.get(`/devices/${body.device.id}`)).status, 404);
  await page.context().close();
});

test('Ctrl+K finds devices, chats and pages by the keyboard', { skip }, async () => {
  const page = await open('/devices');
  const search = page.getByRole('combobox', { name: 'Search devices, chats and pages' });
  const find = async (text: string, option: RegExp): Promise<void> => {
    await page.keyboard.press('Control+K');
    await search.fill(text);
    await page.getByRole('dialog').getByRole('option', { name: option }).first().waitFor();
  };
  await find('front', /^Front desk/);
  assert.deepEqual(await violationsOn(page), []);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Front desk', level: 1 }).waitFor();
  await find('bob', /^Bob/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Bob', level: 2 }).waitFor();
  await find('e', /^Webhooks/);
  const options = page.getByRole('dialog').getByRole('option');
  const at = (await options.allTextContents()).findIndex((text) => text.startsWith('Webhooks'));
  for (let n = 0; n < at; n += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
  await page.setViewportSize(phone);
  await page.getByRole('button', { name: /^Search/ }).click();
  await search.fill('nothing of this name');
  await page.getByText('Nothing found').waitFor();
  assert.deepEqual(await violationsOn(page), []);
  await page.context().close();
});

test('the error of a button is shown at the button until dismissed', { skip }, async () => {
  const page = await open(`/devices/${device}/settings`);
  await page.route('**/restart', (route) =>
    route.fulfill({ status: 500, json: { status: { code: 500, message: 'It is broken' } } }),
  );
  const restart = page.getByRole('button', { name: 'Restart', exact: true });
  await restart.click();
  const error = page.getByRole('alert').filter({ hasText: 'It is broken' });
  await error.waitFor();
  const [button, shown] = [(await restart.boundingBox())!, (await error.boundingBox())!];
  assert.ok(Math.abs(shown.y - button.y) < 80, 'beside or below it');
  assert.equal(await page.locator('.notice').count(), 0);
  assert.deepEqual(await violationsOn(page), []);
  await error.getByRole('button', { name: 'Close' }).click();
  assert.equal(await error.count(), 0);
  await page.context().close();
});

test('on a phone a notice covers nothing, the row of the brand included', { skip }, async () => {
  const page = await open(`/devices/${device}/settings`, { viewport: phone });
  await page.getByRole('switch', { name: 'Reject calls' }).click();
  const notice = (await page.locator('.notice.good').boundingBox())!;
  await page.evaluate('scrollTo(0, 0)');
  assert.ok(notice.height > 0);
  assert.ok((await page.locator('.side').boundingBox())!.y >= notice.y + notice.height);
  await page.context().close();
});
