/** An error stands beside what was pressed, until it is dismissed or the next try. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { ada, addPhones, bob, linkDevice, untilShown } from '../../flows/steps.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { launch, openPage, skip, violationsOn } from '../browser.ts';
import { signIn } from '../scenes.ts';
import { eventually } from '../../support/wait.ts';

const carol = '4915550004444';

let installation: Installation;
let browser: Browser;
let device: number;

before(async () => {
  if (skip !== false) return;
  [installation, browser] = await Promise.all([startInstallation(), launch()]);
  await addPhones(installation);
  await installation.phones.add(carol, 'Carol');
  device = await linkDevice(installation, ada, { name: 'Front desk' });
  await installation.phones.write(bob, { to: ada, text: 'line {n}', count: 60 });
  await installation.phones.write(carol, { to: ada, text: 'Good morning' });
  await untilShown(installation, bob, 'line 60');
});

after(async () => {
  await browser?.close();
  await installation?.[Symbol.asyncDispose]();
});

const open = async (hash: string, options: Parameters<typeof openPage>[2] = {}): Promise<Page> => {
  const viewport = { width: 1440, height: 900 };
  const { page } = await openPage(browser, installation.handset.url, { viewport, ...options });
  page.setDefaultTimeout(12_000);
  await signIn(page);
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  return page;
};

/** Requests of this path fail until the returned function is called. */
const breakdown = async (page: Page, path: RegExp, method: string): Promise<() => Promise<void>> => {
  await page.route(path, (route) =>
    route.request().method() === method
      ? route.fulfill({ status: 500, json: { status: { code: 500, message: 'It is broken' } } })
      : route.continue(),
  );
  return () => page.unroute(path);
};

const scrollTo = (top: number): string => `document.querySelector('.log').scrollTo(0, ${top})`;

const errorsOn = (page: Page): Locator => page.getByRole('alert').filter({ hasText: 'It is broken' });

const assertBeside = async (error: Locator, pressed: Locator): Promise<void> => {
  await error.waitFor();
  await eventually('the error beside what was pressed', async () => {
    const [shown, button] = [await error.boundingBox(), await pressed.boundingBox()];
    return shown !== null && button !== null && Math.abs(shown.y - (button.y + button.height)) < 60;
  });
  assert.equal(await error.page().locator('.notice').count(), 0);
};

test('at a setting', { skip }, async () => {
  const page = await open(`/devices/${device}/settings`);
  const repair = await breakdown(page, /\/settings$/, 'PUT');
  const online = page.getByRole('switch', { name: 'Appear online' });
  await online.click();
  await assertBeside(errorsOn(page), online);
  assert.equal(await online.isChecked(), false);
  const media = page.getByLabel('Media in received messages');
  await media.selectOption({ index: 1 });
  await assertBeside(errorsOn(page).last(), media);
  assert.equal(await errorsOn(page).count(), 2, 'each at its own');
  assert.deepEqual(await violationsOn(page), []);
  await errorsOn(page).last().getByRole('button', { name: 'Close' }).click();
  assert.equal(await errorsOn(page).count(), 1);
  await repair();
  await online.click();
  await page.getByRole('switch', { name: 'Appear online', checked: true }).waitFor();
  assert.equal(await errorsOn(page).count(), 0, 'the next try');
  await page.context().close();
});

test('below the menu of a chat, and only there', { skip }, async () => {
  const page = await open(`/devices/${device}/chat/${bob}`, { viewport: { width: 390, height: 844 } });
  await breakdown(page, /\/chats\/[^/]+$/, 'PUT');
  const menu = page.getByRole('button', { name: 'Actions for the chat with Bob' });
  await menu.click();
  await page.getByRole('menuitem', { name: 'Pin chat' }).click();
  await assertBeside(errorsOn(page), menu);
  assert.deepEqual(await violationsOn(page), []);
  await page.evaluate(`location.hash = '/devices/${device}/chat/${carol}'`);
  await page.getByRole('heading', { name: 'Carol', level: 2 }).waitFor();
  assert.equal(await errorsOn(page).count(), 0);
  await page.context().close();
});

test('above older messages that did not load, without trying again and again', { skip }, async () => {
  const page = await open('/devices');
  const repair = await breakdown(page, /\/messages\?.*cursor=/, 'GET');
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().includes('cursor=')) asked += 1;
  });
  await page.evaluate(`location.hash = '/devices/${device}/chat/${bob}'`);
  const log = page.getByRole('log', { name: 'Messages in this conversation' });
  await log.getByText('line 60').waitFor();
  await page.evaluate(scrollTo(0));
  const older = log.getByRole('button', { name: 'Load older messages' });
  await assertBeside(errorsOn(page), older);
  for (const to of [150, 0, 150, 0]) await page.evaluate(scrollTo(to));
  assert.equal(asked, 1);
  await repair();
  await older.click();
  await log.getByText('line 1', { exact: true }).waitFor();
  assert.equal(await errorsOn(page).count(), 0);
  await page.context().close();
});

test('in the card of a person, and on the phone of the sandbox', { skip }, async () => {
  const page = await open(`/devices/${device}/chat/${bob}`);
  await page.getByRole('button', { name: 'Contact card of Bob' }).click();
  const card = page.getByRole('dialog', { name: 'Bob' });
  const repair = await breakdown(page, /\/settings$|\/chats\/[^/]+$/, 'PUT');
  const follow = card.getByRole('switch', { name: 'Show when they are online or typing' });
  await follow.click();
  await assertBeside(errorsOn(page), follow);
  const timer = card.getByLabel('Disappearing messages');
  await timer.selectOption({ index: 1 });
  await assertBeside(errorsOn(page).last(), timer);
  assert.deepEqual(await violationsOn(page), []);
  await repair();
  await page.keyboard.press('Escape');
  const phone = page.getByRole('complementary', { name: 'Sandbox phone' });
  await breakdown(page, /\/sandbox\/phones\/\d+\/messages$/, 'POST');
  const field = phone.getByLabel('Write as this person');
  await field.fill('Hello');
  await field.press('Enter');
  await assertBeside(errorsOn(page), field);
  assert.equal(await field.inputValue(), 'Hello');
  await page.context().close();
});

test('at the member of a group, and at its rules', { skip }, async () => {
  const group = { subject: 'Lunch club', members: [bob] };
  const { jid } = (await installation.api.post(`/devices/${device}/groups`, group)).body.group;
  const page = await open(`/devices/${device}/chat/${encodeURIComponent(jid)}`);
  await page.getByRole('button', { name: 'Details of the group Lunch club' }).click();
  const card = page.getByRole('dialog', { name: 'Lunch club' });
  await breakdown(page, /\/groups\/[^?]+$/, 'PUT');
  const menu = card.getByRole('button', { name: 'Actions for Bob' });
  await menu.click();
  await page.getByRole('menuitem').first().click();
  await assertBeside(errorsOn(page), menu);
  assert.deepEqual(await violationsOn(page), []);
  await card.getByText('Settings', { exact: true }).click();
  const rule = card.getByRole('switch').first();
  await rule.click();
  await assertBeside(errorsOn(page), rule);
  await page.context().close();
});
