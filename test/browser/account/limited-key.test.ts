/** The dashboard with a limited key shows what the key may do, and nothing that would be refused. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launch, openPage, skip } from '../browser.ts';
import { setStage, signIn, type Stage } from '../scenes.ts';
import { bob } from '../../flows/steps.ts';

let stage: Stage;
let browser: Browser;

before(async () => {
  if (skip !== false) return;
  [stage, browser] = await Promise.all([setStage({ inOrder: false }), launch()]);
});

after(async () => {
  await browser?.close();
  await stage?.[Symbol.asyncDispose]();
});

/** Signed in with a key of its own; `refused` are the requests that the service did not permit. */
const signedInWith = async (limits: object): Promise<{ page: Page; refused: string[] }> => {
  const { body } = await stage.installation.api.post('/keys', { name: 'Limited', ...limits });
  const { page } = await openPage(browser, stage.url);
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(`${response.request().method()} ${new URL(response.url()).pathname}`);
  });
  await signIn(page, body.key.secret);
  return { page, refused };
};

const namesIn = (page: Page, label: string): Promise<string[]> =>
  page.getByRole('navigation', { name: label }).getByRole('link').allInnerTexts();

const openChat = async (page: Page): Promise<void> => {
  await page.evaluate(`location.hash = '/devices/${stage.device}/chat/${bob}'`);
  await page.getByText('Is there anything else that I can do for you?').first().waitFor();
};

test('a key that only reads one device sees it, and nothing to change or send', { skip }, async () => {
  const { page, refused } = await signedInWith({ devices: [stage.device], actions: ['read'] });
  await page.getByText(`This key may read on device ${stage.device}.`).waitFor();
  assert.deepEqual(await namesIn(page, 'Main'), ['Devices', 'Opt-outs', 'Usage', 'API docs']);
  await page.getByRole('link', { name: 'Front desk' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Night shift' }).count(), 0);
  assert.equal(await page.getByRole('link', { name: 'New device' }).count(), 0);
  await openChat(page);
  assert.deepEqual(await namesIn(page, 'Device'), [
    'Messages',
    'Statuses',
    'Channels',
    'Deliveries',
    'Events',
    'Activity',
  ]);
  for (const name of ['New conversation', 'Send', 'Attach'])
    assert.equal(await page.getByRole('button', { name }).count(), 0, name);
  const menu = page.locator('.message-menu').last();
  await menu.click();
  assert.deepEqual(await page.getByRole('menuitem').allInnerTexts(), ['Copy text']);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Search/ }).fill('e');
  await page.getByRole('option', { name: /Events/ }).waitFor();
  assert.equal(await page.getByRole('option', { name: /Settings|Webhook|New device|API keys/ }).count(), 0);
  await page.keyboard.press('Escape');
  await page.evaluate(`location.hash = '/suppressions'`);
  await page.getByText('asked by phone').waitFor();
  assert.equal(await page.getByRole('button', { name: /Remove|Add/ }).count(), 0);
  assert.deepEqual(refused, []);
  await page.context().close();
});

test('a key that also sends writes, and a key without limits sees everything', { skip }, async () => {
  const { page, refused } = await signedInWith({ actions: ['read', 'send'] });
  await openChat(page);
  await page.getByRole('textbox', { name: 'Message' }).fill('From a limited key');
  await page.keyboard.press('Enter');
  await page.getByText('From a limited key').first().waitFor();
  assert.equal(await page.getByRole('link', { name: 'Settings' }).count(), 0);
  assert.deepEqual(refused, []);
  await page.context().close();
  const { page: whole } = await signedInWith({});
  await openChat(whole);
  await whole.getByRole('link', { name: 'Settings' }).waitFor();
  await whole.getByRole('link', { name: 'API keys' }).waitFor();
  assert.equal(await whole.getByText(/^This key may/).count(), 0);
  await whole.getByRole('link', { name: 'API keys' }).click();
  await whole.getByRole('row', { name: /Limited.*This key may read, send\./ }).waitFor();
  await whole.context().close();
});
