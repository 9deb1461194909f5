/** The recipient of a draft: messages that arrive from others while it is written must not change it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { ada, addPhones, bob, linkDevice, untilShown } from '../flows/steps.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { launch, openPage, skip } from './browser.ts';
import { signIn } from './scenes.ts';

const eve = '4915550005555';

let installation: Installation;
let browser: Browser;

before(async () => {
  if (skip !== false) return;
  [installation, browser] = await Promise.all([startInstallation(), launch()]);
  await addPhones(installation);
  await installation.phones.add(eve, 'Eve');
});

after(async () => {
  await browser?.close();
  await installation?.[Symbol.asyncDispose]();
});

const conversation = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Conversations' }).getByRole('button', { name });
const draft = (page: Page) => page.getByLabel('Message', { exact: true });

test('a draft goes to the first recipient, although others write', { skip }, async () => {
  const device = await linkDevice(installation);
  const { page } = await openPage(browser, installation.handset.url);
  await signIn(page);
  await page.evaluate(`location.hash = '/devices/${device}'`);
  await page.getByLabel('To', { exact: true }).first().fill(bob);
  await draft(page).fill('To a new conversation');
  await installation.phones.write(eve, { to: ada, text: 'Hello' });
  await conversation(page, 'Eve').waitFor();
  await draft(page).press('Enter');
  await untilShown(installation, bob, 'To a new conversation');
  await page.context().close();
});

test('the open conversation stays open, although others write', { skip }, async () => {
  const { devices } = (await installation.api.get('/devices')).body;
  const { page } = await openPage(browser, installation.handset.url);
  await signIn(page);
  await installation.phones.write(bob, { to: ada, text: 'Good morning' });
  await page.evaluate(`location.hash = '/devices/${devices[0].id}/chat/${bob}'`);
  await page.getByRole('log', { name: 'Messages in this conversation' }).getByText('Good morning').waitFor();
  await draft(page).fill('To Bob');
  await installation.phones.write(eve, { to: ada, text: 'Are you there?' });
  await conversation(page, 'Eve').getByText('Are you there?').waitFor();
  await draft(page).press('Enter');
  await untilShown(installation, bob, 'To Bob');
  assert.equal(await page.getByRole('heading', { name: 'Bob', level: 2 }).count(), 1);
  await page.context().close();
});
