/** `/docs` in a real browser: nothing of another host, search, samples, one sign-in with the dashboard, and requests that are tried. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { version } from '../../src/config.ts';
import { ownerKey } from '../support/installation.ts';
import { openPage, skip, violationsOn } from './browser.ts';
import { signIn, type Stage } from './scenes.ts';

const titleOf = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

const signInHere = async (page: Page): Promise<void> => {
  await page.getByLabel('API key').fill(ownerKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Signed in with hs_').waitFor();
};

/** On the stage of another test file: a browser and a service of its own would cost seconds. */
export const testDocsPage = (stage: () => Stage, browser: () => Browser): void => {
  test('the API reference is accessible, fits a phone, and asks no other host', { skip }, async () => {
    const { page, complaints } = await openPage(browser(), `${stage().url}/health/live`);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    for (const [hash, title] of [
      ['', 'API reference'],
      ['#createDevice', 'Create a device'],
      ['#guide-limits', 'Limits'],
      ['#guide-webhooks', 'Webhooks'],
      ['#message.updated', 'message.updated'],
    ] as const) {
      await page.goto(`${stage().url}/docs${hash}`);
      await titleOf(page, title).waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        const rules = colorScheme === 'light' ? 'all' : 'colours';
        assert.deepEqual(await violationsOn(page, rules), [], `${title}, ${colorScheme}`);
      }
      await page.setViewportSize({ width: 390, height: 844 });
      assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0, title);
      await page.setViewportSize({ width: 1440, height: 900 });
    }
    assert.ok(asked.length > 3);
    assert.deepEqual(
      asked.filter((url) => !url.startsWith(`${stage().url}/`)),
      [],
    );
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('the search finds operations and events by their words, from the keyboard', { skip }, async () => {
    const { page, complaints } = await openPage(browser(), `${stage().url}/docs`);
    await page.getByText(`Handset ${version}`).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('reaction');
    const found = page.getByRole('navigation').getByRole('link');
    await page.getByRole('heading', { name: /^\d+ results$/ }).waitFor();
    assert.match(await found.first().innerText(), /react/i);
    await page.keyboard.press('Enter');
    await titleOf(page, 'React').waitFor();
    assert.match(page.url(), /#setReaction$/);
    await page.getByText('reaction must be one emoji, or null').waitFor();
    assert.equal(await page.getByText('webhookEvents has').count(), 0, 'errors of other operations');
    await page.getByRole('searchbox').fill('nothing has xylophones');
    await page.getByText('Nothing found').waitFor();
    await page.getByRole('searchbox').fill('MESSAGE.DELETED');
    await page.getByRole('link', { name: 'message.deleted' }).click();
    await titleOf(page, 'message.deleted').waitFor();
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('guides are read here, errors are found, and what is no JSON is not sent', { skip }, async () => {
    const { page, complaints } = await openPage(browser(), `${stage().url}/docs`);
    await page.getByRole('link', { name: 'Idempotent sends' }).click();
    await titleOf(page, 'Idempotent sends').waitFor();
    await page.getByRole('searchbox').fill('older than 15 minutes');
    await page.getByRole('navigation').getByRole('link', { name: 'Edit a text or a caption' }).waitFor();
    await page.getByRole('searchbox').fill('number_not_on_network');
    await page.getByRole('navigation').getByRole('link', { name: 'Errors' }).click();
    await page.getByRole('cell', { name: 'number_not_on_network' }).waitFor();
    await page.goto(`${stage().url}/docs#createDevice`);
    await signInHere(page);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await page.getByLabel('Request body').fill('{"name": ');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByLabel('Request body').and(page.locator(':invalid')).waitFor();
    assert.deepEqual(
      sent.filter((one) => one === 'POST /v1/devices'),
      [],
    );
    await page.getByLabel('Request body').fill('{"name": "Valid again"}');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.locator('.answer pre', { hasText: /Device \d+ created/ }).waitFor();
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('on a phone the operations open above the page, and close once one is chosen', { skip }, async () => {
    const phone = { viewport: { width: 390, height: 844 } };
    const { page } = await openPage(browser(), `${stage().url}/docs`, phone);
    const link = page.getByRole('link', { name: 'Send a text message' });
    await page.getByRole('button', { name: 'All operations' }).click();
    await link.click();
    await titleOf(page, 'Send a text message').waitFor();
    await link.waitFor({ state: 'hidden' });
    await page.context().close();
  });

  test('an upload is tried with a file of the reader', { skip }, async () => {
    const { page } = await openPage(browser(), `${stage().url}/docs#uploadFile`);
    await signInHere(page);
    await page.getByLabel('id', { exact: true }).fill(String(stage().device));
    const file = page.getByLabel('File', { exact: true });
    await file.setInputFiles({
      name: 'report.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('%PDF-1.7\n%%EOF\n'),
    });
    assert.match(await page.locator('.sample').innerText(), /report\.pdf/);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page
      .locator('.try-it')
      .getByText(/application\/pdf/)
      .waitFor();
    await page.context().close();
  });

  test('samples follow what is filled in, our client and command first, and the language stays', { skip }, async () => {
    const { page } = await openPage(browser(), `${stage().url}/docs#sendText`);
    const sample = page.locator('.sample');
    await page.getByLabel('id', { exact: true }).fill('42');
    await page.getByLabel('Request body').fill(`{"toNumber": "4915112345678", "message": "It's"}`);
    for (const [language, start] of [
      ['@handset/client', 'import { createHandset }'],
      ['handset', 'handset send text 42 4915112345678 '],
      ['curl', 'curl '],
      ['JavaScript', 'const response = await fetch('],
      ['Python', 'import json'],
      ['PHP', '<?php'],
      ['Go', 'package main'],
    ] as const) {
      await page.getByText(language, { exact: true }).click();
      const text = await sample.innerText();
      assert.ok(text.startsWith(start), text);
      assert.ok(!text.includes(ownerKey), text);
      if (language === 'handset') continue;
      assert.ok(text.includes('HANDSET_KEY'), text);
      if (language === '@handset/client') assert.ok(text.includes(`'${stage().url}'`) && text.includes('id: 42'), text);
      else assert.ok(text.includes(`${stage().url}/v1/devices/42/messages/text`), text);
    }
    await page.goto(`${stage().url}/docs#getMe`);
    await page.locator('.sample', { hasText: 'package main' }).waitFor();
    await page.getByRole('button', { name: 'Copy sample' }).click();
    assert.match(await page.evaluate<string>('navigator.clipboard.readText()'), /^package main\n[\s\S]*\/v1\/me"/);
    await page.context().close();
  });

  test('the dashboard and the reference share one sign-in, in all open tabs', { skip }, async () => {
    const { page: dashboard, complaints } = await openPage(browser(), stage().url);
    await signIn(dashboard);
    const reference = await dashboard.context().newPage();
    await reference.goto(`${stage().url}/docs`);
    await reference.getByText('Signed in with hs_').waitFor();
    await reference.getByRole('button', { name: 'Sign out' }).click();
    await dashboard.getByRole('heading', { name: 'Sign in' }).waitFor();
    for (const page of [dashboard, reference]) assert.equal(await page.evaluate('sessionStorage.length'), 0);
    await signInHere(reference);
    await dashboard.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
    await reference.getByRole('link', { name: 'Dashboard' }).click();
    await reference.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
    assert.deepEqual(complaints, []);
    await dashboard.context().close();
  });

  test('"Try it" sends what was filled in, and shows the answer', { skip }, async () => {
    const { page, complaints } = await openPage(browser(), `${stage().url}/docs#createDevice`);
    const send = page.getByRole('button', { name: 'Send', exact: true });
    assert.equal(await send.isDisabled(), true);
    await signInHere(page);
    await page.getByLabel('Request body').fill('{"name": "From the docs"}');
    await send.click();
    const created = page.locator('.answer pre', { hasText: /Device \d+ created/ });
    const [, id = ''] = /Device (\d+) created/.exec(await created.innerText()) ?? [];
    // A device of before may have been offered its last QR code.
    await page.goto(`${stage().url}/docs#getQr`);
    await page.getByLabel('id', { exact: true }).fill(id);
    await send.click();
    await page.getByAltText('Image in the response').waitFor();
    assert.deepEqual(complaints, []);
    await page.getByLabel('id', { exact: true }).fill('99');
    await send.click();
    await page.locator('.answer pre', { hasText: 'Device not found' }).waitFor();
    await page.goto(`${stage().url}/docs#streamEvents`);
    await titleOf(page, 'Stream').waitFor();
    await send.click();
    await page.locator('.answer strong', { hasText: '200' }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.context().close();
  });
};
