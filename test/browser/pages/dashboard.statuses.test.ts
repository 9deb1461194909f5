/** The statuses of a device: posted as a text and as files, seen and liked on request. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { ada, addPhones, bob, linkDevice } from '../../flows/steps.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { sample } from '../../support/media.ts';
import { eventually } from '../../support/wait.ts';
import { launch, openPage, skip, violationsOn } from '../browser.ts';
import { picture, signIn } from '../scenes.ts';

let installation: Installation;
let browser: Browser;
let device: number;

before(async () => {
  if (skip !== false) return;
  [installation, browser] = await Promise.all([startInstallation(), launch()]);
  await addPhones(installation);
  device = await linkDevice(installation, ada, { name: 'Front desk' });
  await installation.api.put(`/devices/${device}/contacts/${bob}`, { name: 'Bob' });
  await installation.api.put(`/devices/${device}/settings`, { statuses: 'received', readReceipts: true });
  await installation.phones.request('POST', `/phones/${bob}/status`, { text: 'Back soon' });
});

after(async () => {
  await browser?.close();
  await installation?.[Symbol.asyncDispose]();
});

const posted = async (): Promise<readonly unknown[]> =>
  (await installation.api.get(`/devices/${device}/status?own=true`)).body.statuses.map(
    ({ type, text }: { type: string; text: string | null }) => [type, text],
  );

test(
  'a text, a picture and a voice message are posted, and that of a contact is seen and liked',
  { skip },
  async () => {
    const { page } = await openPage(browser, installation.handset.url, { viewport: { width: 1440, height: 900 } });
    await signIn(page);
    await page.evaluate(`location.hash = '/devices/${device}/status'`);
    const post = page.getByRole('button', { name: 'Post', exact: true });
    await post.click();
    await page.getByText('Enter a text.').waitFor();
    await page.getByLabel('Text').fill('Fresh bread');
    await page.getByLabel('File').setInputFiles({ name: 'loaf.png', mimeType: 'image/png', buffer: picture() });
    await post.click();
    await page.getByText('Posted to 1 person.').first().waitFor();
    await page.getByLabel('Text').fill('words');
    await page.getByLabel('File').setInputFiles({ name: 'v.ogg', mimeType: 'audio/ogg', buffer: sample('voice.ogg') });
    await post.click();
    await page.getByText('A voice message has no text.').waitFor();
    assert.deepEqual(await violationsOn(page, 'all'), []);
    await page.getByLabel('Text').fill('');
    await post.click();
    await eventually('both are posted', async () => (await posted()).length === 2);
    assert.deepEqual(new Set((await posted()).map(String)), new Set(['image,Fresh bread', 'audio,']));
    const theirs = page.getByRole('listitem').filter({ hasText: 'Back soon' });
    await theirs.getByRole('button', { name: 'Tell that it was seen' }).click();
    await page.getByText('The author is told.').first().waitFor();
    await theirs.getByRole('button', { name: 'Like' }).click();
    await page.getByText('Liked; the author is told.').first().waitFor();
    await page.context().close();
  },
);

test('who sees a status is chosen, and a choice of nobody is refused where the people are', { skip }, async () => {
  const { page } = await openPage(browser, installation.handset.url, { viewport: { width: 1440, height: 900 } });
  await signIn(page);
  await page.evaluate(`location.hash = '/devices/${device}/status'`);
  await page.getByLabel('Text').fill('For you alone');
  await page.getByLabel('Who sees it').selectOption('Only these people');
  const post = page.getByRole('button', { name: 'Post', exact: true });
  await post.click();
  await page.getByText('Choose at least one person.').waitFor();
  const people = page.getByLabel('Add people');
  await people.fill('49155500099');
  await post.click();
  await page.getByText('Choose contacts of the account').waitFor();
  await page.getByRole('button', { name: /^Remove/ }).click();
  await people.fill('Bob');
  await page.getByRole('list', { name: 'Contacts' }).getByRole('button', { name: 'Bob' }).click();
  await post.click();
  await page.getByText('Posted to 1 person.').first().waitFor();
  await page.getByLabel('Text').fill('For nobody');
  await page.getByLabel('Who sees it').selectOption('All contacts except these people');
  await post.click();
  await page.getByRole('alert').filter({ hasText: 'seen by nobody' }).waitFor();
  await page.context().close();
});
