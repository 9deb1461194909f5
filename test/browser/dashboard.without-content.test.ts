/** Messages that come without their content, as the dashboard shows them: in words, and with the content once it is there. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { ada, addPhones, bob, linkDevice, untilOpen } from '../flows/steps.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { launch, openPage, skip } from './browser.ts';
import { signIn } from './scenes.ts';

let installation: Installation;
let browser: Browser;

before(async () => {
  if (skip !== false) return;
  [installation, browser] = await Promise.all([startInstallation(), launch()]);
  await addPhones(installation);
});

after(async () => {
  await browser?.close();
  await installation?.[Symbol.asyncDispose]();
});

test(
  'a message without its content is shown in words, and as itself once the phone hands it over',
  { skip },
  async () => {
    const { api, handset, phones } = installation;
    const device = await linkDevice(installation);
    const { page, complaints } = await openPage(browser, handset.url, { viewport: { width: 1440, height: 900 } });
    await signIn(page);
    await page.evaluate(`location.hash = '/devices/${device}'`);
    await phones.behave(ada, { online: false });
    await phones.write(bob, { to: ada, text: 'a secret', withheld: 'viewOnce' });
    await phones.write(bob, { to: ada, text: 'I saw your advertisement', withheld: 'waiting' });
    const log = page.getByRole('log', { name: 'Messages in this conversation' });
    await log.getByText('View-once message. Open it on your phone.').waitFor();
    const waiting = log.getByText('Waiting for this message. Handset has requested it from your phone.');
    await waiting.waitFor();

    await phones.behave(ada, { online: true });
    await api.post(`/devices/${device}/restart`, {});
    await untilOpen(installation, device);
    await log.getByText('I saw your advertisement').waitFor();
    assert.equal(await waiting.count(), 0);
    assert.equal(await log.getByRole('listitem').filter({ hasText: 'advertisement' }).count(), 1);
    assert.deepEqual(complaints, []);
  },
);
