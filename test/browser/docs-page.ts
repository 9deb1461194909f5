/** `/docs` in a real browser: nothing of another host, and "Try it" calls the running service and shows what it answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser } from 'playwright-core';
import { ownerKey } from '../support/installation.ts';
import { openPage, skip, violationsOn } from './browser.ts';
import type { Stage } from './scenes.ts';

/** On the stage of another test file: a browser and a service of its own would cost seconds. */
export const testDocsPage = (stage: () => Stage, browser: () => Browser): void => {
  test(`the page of the interface is accessible and asks no other host`, { skip }, async () => {
    const { page, complaints } = await openPage(browser(), `${stage().url}/health/live`);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${stage().url}/docs#createDevice`);
    await page.locator('#createDevice[open] textarea').waitFor();
    await page.locator('[id="message.updated"] summary').first().click();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await violationsOn(page), [], colorScheme);
    }
    assert.deepEqual(
      asked.filter((url) => !url.startsWith(`${stage().url}/`)),
      [],
    );
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('"Try it" sends what was filled in, and shows the answer', { skip }, async () => {
    const { page, complaints } = await openPage(browser(), `${stage().url}/docs#createDevice`);
    await page.fill('#key', ownerKey);
    await page.locator('#key').press('Tab');
    const create = page.locator('#createDevice');
    await create.locator('textarea').fill('{"name": "From the docs"}');
    await create.getByRole('button', { name: 'Send' }).click();
    await create.locator('.answer pre', { hasText: /Device \d+ created/ }).waitFor();
    await page.goto(`${stage().url}/docs#getQr`);
    const qr = page.locator('#getQr');
    await qr.getByLabel('id (path)').fill(String(stage().pairing));
    await qr.getByRole('button', { name: 'Send' }).click();
    await qr.getByAltText('The image that was answered').waitFor();
    await qr.getByLabel('id (path)').fill('99');
    assert.deepEqual(complaints, []);
    await qr.getByRole('button', { name: 'Send' }).click();
    await qr.locator('.answer pre', { hasText: 'Device not found' }).waitFor();
    await page.context().close();
  });
};
