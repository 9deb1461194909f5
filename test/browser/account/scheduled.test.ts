/** Sends at a time in the dashboard: the clock beside "Send", and the list of what waits. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { bob } from '../../flows/steps.ts';
import { eventually } from '../../support/wait.ts';
import { launch, openPage, skip, violationsOn } from '../browser.ts';
import { setStage, signIn, type Stage } from '../scenes.ts';

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

const waiting = async (): Promise<readonly { readonly text: string; readonly sendAt: string }[]> =>
  (await stage.installation.api.get(`/devices/${stage.device}/messages/scheduled`)).body.scheduled;

test('a message is scheduled, moved and cancelled; a time in the past is refused at its field', { skip }, async () => {
  const { page, complaints } = await openPage(browser, stage.url);
  await signIn(page);
  await page.evaluate(`location.hash = '/devices/${stage.device}/chat/${bob}'`);
  const clock = page.getByRole('button', { name: 'Send at a time' });
  await clock.waitFor();
  assert.equal(await clock.isDisabled(), true, 'there is nothing to send');
  await page.getByRole('textbox', { name: 'Message' }).fill('See you tomorrow');
  await clock.click();
  const time = page.getByLabel('Date and time');
  await time.fill('2020-01-01T09:00');
  await page.getByRole('button', { name: 'Schedule', exact: true }).click();
  await page.getByText('Choose a time in the future.').waitFor();
  assert.deepEqual(await waiting(), []);
  const at = new Date(Date.now() + 7 * 86_400_000);
  at.setHours(9, 30, 0, 0);
  const local = `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}-${String(at.getDate()).padStart(2, '0')}T09:30`;
  await time.fill(local);
  await page.getByRole('button', { name: 'Schedule', exact: true }).click();
  const list = page.getByText('1 scheduled message', { exact: true });
  await list.waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Message' }).inputValue(), '');
  const [kept] = await waiting();
  assert.deepEqual([kept?.text, Date.parse(kept!.sendAt)], ['See you tomorrow', at.getTime()]);
  await list.click();
  await page.getByText('See you tomorrow').waitFor();
  assert.deepEqual(await violationsOn(page, 'all'), []);
  await page.getByRole('button', { name: 'Change time' }).click();
  await time.fill(local.replace('T09:30', 'T10:45'));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await eventually('the new time', async () => {
    const [moved] = await waiting();
    return Date.parse(moved!.sendAt) === at.getTime() + 75 * 60_000;
  });
  await page.locator('.waiting').getByRole('button', { name: 'Cancel' }).click();
  await list.waitFor({ state: 'detached' });
  assert.deepEqual(await waiting(), []);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('what waits disappears from the list once it is sent', { skip }, async () => {
  const sendAt = new Date(Date.now() + 4_000).toISOString();
  const path = `/devices/${stage.device}/messages/text`;
  await stage.installation.api.post(path, { toNumber: bob, message: 'In a moment', sendAt });
  const { page } = await openPage(browser, stage.url);
  await signIn(page);
  await page.evaluate(`location.hash = '/devices/${stage.device}/chat/${bob}'`);
  await page.getByRole('log').getByText('In a moment').first().waitFor();
  await page.locator('.waiting').waitFor({ state: 'detached' });
  await page.context().close();
});
