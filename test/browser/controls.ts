/** Tests of long lists, selects, menus and motion, by the keyboard. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser } from 'playwright-core';
import { bob } from '../flows/steps.ts';
import { eventually } from '../support/wait.ts';
import { openPage, skip, violationsOn, withoutSnapshot } from './browser.ts';
import { type Stage, signIn } from './scenes.ts';

const desk = { width: 1440, height: 900 };

export const testControls = (stage: () => Stage, browser: () => Browser): void => {
  test('hundreds of devices are shown in pages, and found by name, number and ID', { skip }, async () => {
    const { page } = await openPage(browser(), `${stage().url}/health/live`, { viewport: desk });
    const { devices } = (await stage().installation.api.get('/devices')).body;
    const { accounts, ...rest } = (await stage().installation.api.get('/accounts')).body;
    // As the service answers it for a user who has linked many.
    const many = Array.from({ length: 500 }, (_, n) => ({ ...devices[0], id: n + 1, name: `Branch ${n + 1}` }));
    const linked = many.map(({ id }) => ({
      ...accounts[0],
      deviceId: id,
      phoneNumber: String(4_915_550_100_000 + id),
    }));
    await withoutSnapshot(page);
    await page.route('**/v1/devices', (route) => route.fulfill({ json: { devices: many } }));
    await page.route('**/v1/accounts?*', (route) => route.fulfill({ json: { ...rest, accounts: linked } }));
    await page.goto(stage().url);
    await signIn(page);
    const rows = page.locator('.device-table tbody tr');
    await page.getByText('1–25 of 500').waitFor();
    assert.equal(await rows.count(), 25);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('26–50 of 500').waitFor();
    await rows.filter({ hasText: 'Branch 475' }).getByText('+49 15550 100475').waitFor();
    assert.deepEqual(await violationsOn(page), []);
    const search = page.getByRole('searchbox', { name: 'Search by name, number or ID' });
    for (const [text, name] of [
      ['+49 155 5010 0321', 'Branch 321'],
      ['branch 444', 'Branch 444'],
      ['77', 'Branch 77'],
    ] as const) {
      await search.fill(text);
      await rows.filter({ hasText: name }).first().waitFor();
    }
    await search.fill('nobody');
    await page.getByText('No matching devices').waitFor();
    await page.context().close();
  });

  test('selects and menus follow the keyboard, and motion can be turned off', { skip }, async () => {
    const { page } = await openPage(browser(), stage().url, { viewport: desk });
    await signIn(page);
    const theme = page.getByRole('combobox', { name: 'Theme' });
    await theme.focus();
    for (const key of ['Space', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'light');
    await page.keyboard.type('Dark');
    assert.equal(await theme.inputValue(), 'dark');
    await page.evaluate(`location.hash = '/devices/${stage().device}/chat/${bob}'`);
    await page.getByRole('button', { name: 'Actions for the chat with Bob' }).focus();
    await page.keyboard.press('Enter');
    const items = page.getByRole('menuitem');
    await items.first().waitFor();
    const [first = '', ...others] = await items.allTextContents();
    const other = others.find((text) => text[0] !== first[0])!;
    await page.keyboard.press(other[0]!.toLowerCase());
    assert.equal(await page.evaluate('document.activeElement.textContent'), other);
    await page.keyboard.press('Escape');
    const duration = 'getComputedStyle(document.querySelector("button")).transitionDuration';
    assert.equal(await page.evaluate(duration), '0.12s');
    await page.evaluate('location.hash = "/usage"');
    await page.getByRole('switch', { name: 'Animations and moving GIFs' }).uncheck();
    await page.reload();
    await page.getByRole('switch', { name: 'Animations and moving GIFs', checked: false }).waitFor();
    assert.equal(await page.evaluate(duration), '0s');
    await page.context().close();
  });

  test('the newest message stays in view while a picture above it is loaded', { skip }, async () => {
    const { page } = await openPage(browser(), stage().url, { viewport: desk });
    await signIn(page);
    await page.evaluate(`location.hash = '/devices/${stage().device}/chat/${bob}'`);
    const log = page.getByRole('log', { name: 'Messages in this conversation' });
    await log.getByRole('img', { name: 'Here it is' }).waitFor();
    const isShown = 'document.querySelector(".log img").naturalWidth > 0';
    await page.waitForFunction(isShown);
    const left =
      'new Promise(requestAnimationFrame).then(() => { const { scrollHeight, scrollTop, clientHeight } = document.querySelector(".log"); return scrollHeight - scrollTop - clientHeight; })';
    await eventually('the end is in view', async () => (await page.evaluate<number>(left)) < 2);
    await page.context().close();
  });
};
