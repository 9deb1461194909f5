/** What the lists and gauges of the pages say: the newest entry first, and nothing about requests that nobody has made. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { api } from '../../support/api.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { launch, openPage, skip } from '../browser.ts';
import { adminToken, signIn, signInAsOperator } from '../scenes.ts';

describe('lists of the dashboard', { skip }, () => {
  let installation: Installation;
  let browser: Browser;
  before(async () => {
    [installation, browser] = await Promise.all([startInstallation({ HANDSET_ADMIN_TOKEN: adminToken }), launch()]);
  });
  after(async () => {
    await browser?.close();
    await installation?.[Symbol.asyncDispose]();
  });

  const isBefore = async (page: Page, first: string, second: string): Promise<void> => {
    await page.getByText(second).first().waitFor();
    const text = await page.locator('main').innerText();
    assert.ok(text.includes(first) && text.indexOf(first) < text.indexOf(second), `${first} before ${second}`);
  };

  it('begin with the newest device, key, webhook and user', async () => {
    const admin = api(`${installation.handset.url}/admin/v1`, adminToken);
    for (const name of ['Early', 'Recent']) {
      await installation.api.post('/devices', { name });
      await installation.api.post('/keys', { name });
      await installation.api.post('/webhooks', { url: `https://example.com/${name}`, events: ['call'] });
      await admin.post('/users', { name, deviceLimit: 1 });
    }
    const { page } = await openPage(browser, installation.handset.url);
    await signIn(page);
    for (const hash of ['devices', 'keys', 'webhooks']) {
      await page.evaluate(`location.hash = '/${hash}'`);
      await isBefore(page, 'Recent', 'Early');
    }
    await page.getByRole('button', { name: 'Add webhook' }).click();
    const editor = page.getByRole('dialog');
    await editor.getByLabel('URL').fill('https://example.com/Newest');
    await editor.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('region', { name: 'Webhook https://example.com/Newest' }).waitFor();
    await isBefore(page, 'example.com/Newest', 'example.com/Recent');
    await page.context().close();
    const operator = await openPage(browser, installation.handset.url);
    await signInAsOperator(operator.page);
    await isBefore(operator.page, 'Recent', 'Early');
    await operator.page.context().close();
  });

  it('say nothing of an oldest request where none counts', async () => {
    const { page } = await openPage(browser, installation.handset.url);
    await signIn(page);
    const headers = { 'ratelimit-limit': '600', 'ratelimit-remaining': '600', 'ratelimit-reset': '60' };
    await page.route('**/v1/keys', (route) => route.fulfill({ headers, json: { keys: [] } }));
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByText('0 of 600').waitFor();
    assert.equal(await page.getByText('The oldest request stops counting').count(), 0);
    await page.context().close();
  });
});
