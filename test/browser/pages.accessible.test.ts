/** Every page of the dashboard and of the interface: accessible in both themes, for the keyboard and on a phone, and without complaints. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { english } from '../../dashboard/src/texts/en/index.ts';
import { spanish } from '../../dashboard/src/texts/es/index.ts';
import { portuguese } from '../../dashboard/src/texts/pt-BR/index.ts';
import { ownerKey } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import { testControls } from './controls.ts';
import { testDocsPage } from './docs-page.ts';
import { launch, openPage, skip, violationsOn } from './browser.ts';
import { type Scene, type Stage, scenes, setStage, signIn, signInAsOperator } from './scenes.ts';

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

const desk = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

/** Problems of a scene: in both themes on a desktop, and its width on a phone. */
const problemsOf = async (page: Page, { name }: Scene): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // Between the themes nothing but the colours changes.
    const violations = await violationsOn(page, colorScheme === 'light' ? 'all' : 'colours');
    found.push(...violations.map((violation) => `${name}, ${colorScheme}: ${violation}`));
  }
  await page.setViewportSize(phone);
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  if (overflow > 0) found.push(`${name}: ${overflow} px wider than the screen`);
  await page.setViewportSize(desk);
  return found;
};

for (const as of ['nobody', 'user', 'operator'] as const) {
  test(`no page has an accessibility problem, or is wider than a phone: ${as}`, { skip }, async () => {
    const found: string[] = [];
    const { page, complaints } = await openPage(browser, stage.url, { viewport: desk });
    if (as === 'user') await signIn(page);
    if (as === 'operator') await signInAsOperator(page);
    for (const scene of scenes.filter((one) => one.as === as)) {
      await scene.show(page, stage, english);
      found.push(...(await problemsOf(page, scene)));
      await page.keyboard.press('Escape');
    }
    assert.deepEqual(complaints, []);
    assert.deepEqual(found, []);
    await page.context().close();
  });
}

const overflowOf = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

/** Keeps every text that the page ever shows. */
const watchTexts = `
  window.seen = '';
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) for (const { textContent } of [target.nodeType === 3 ? target : '', ...addedNodes]) window.seen += (textContent ?? '') + '\\n';
  }).observe(document, { childList: true, characterData: true, subtree: true });
`;

for (const [locale, words, requests] of [
  ['pt-BR', portuguese, /de 100\.000/],
  ['es-MX', spanish, /de 100,000/],
] as const) {
  test(`the pages in the language of the browser, no wider than a phone: ${locale}`, { skip }, async () => {
    const { page, complaints } = await openPage(browser, `${stage.url}/health/live`, { viewport: phone, locale });
    await page.addInitScript(watchTexts);
    await page.goto(stage.url);
    await page.getByRole('heading', { name: words.signIn.title }).waitFor();
    const found = [...(await violationsOn(page))];
    await signIn(page, ownerKey, words);
    for (const scene of scenes.filter(({ as }) => as === 'user')) {
      await scene.show(page, stage, words);
      const overflow = await overflowOf(page);
      if (overflow > 0) found.push(`${scene.name}: ${overflow} px wider than the screen`);
      if (['messages', 'settings'].includes(scene.name)) found.push(...(await violationsOn(page)));
      await page.keyboard.press('Escape');
    }
    const [wanted, shown] = await page.evaluate<number[]>(
      '(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])(document.querySelector(".side nav"))',
    );
    assert.equal(wanted, shown, 'the whole navigation is seen');
    assert.deepEqual(found, []);
    assert.deepEqual(complaints, []);
    assert.match((await page.locator('main').textContent()) ?? '', requests, 'numbers as the region writes them');
    const seen = await page.evaluate<string>('window.seen');
    assert.ok(seen.includes(words.devices.title));
    for (const text of [english.signIn.title, english.loading, english.devices.title, english.chat.log]) {
      assert.ok(!seen.includes(text), `English was seen: ${text}`);
    }
    await page.goto(`${stage.url}/docs`);
    await page.getByText(words.reference.authentication).first().waitFor();
    assert.ok((await overflowOf(page)) <= 0, 'the reference is no wider than the screen');
    assert.deepEqual(await violationsOn(page), []);
    await page.context().close();
  });
}

test('the language is chosen on a page, and stays', { skip }, async () => {
  const { page } = await openPage(browser, stage.url, { viewport: desk, locale: 'de-DE' });
  const langOf = (): Promise<string> => page.evaluate<string>('document.documentElement.lang');
  await signIn(page);
  assert.equal(await langOf(), 'en');
  await page.getByLabel(english.language).selectOption('Español');
  await page.getByRole('heading', { name: spanish.devices.title, level: 1 }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: spanish.devices.title, level: 1 }).waitFor();
  assert.equal(await langOf(), 'es');
  await page.context().close();
});

/** Elements that the Tab key must reach: one of each group of radio buttons, and nothing hidden or disabled. */
const stopsOf = `(() => {
  const seen = new Set();
  return [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')].filter((e) => {
    if (e.disabled || e.tabIndex < 0 || e.closest('[inert]') !== null || !e.checkVisibility({ visibilityProperty: true })) return false;
    if (e.type !== 'radio') return true;
    if (seen.has(e.name)) return false;
    return seen.add(e.name);
  }).length;
})()`;

/** Notes each stop that the focus comes to, and where it cannot be seen. */
const watchFocus = `(() => {
  document.activeElement?.blur();
  window.walk?.abort();
  window.walk = new AbortController();
  window.stops = new Set();
  window.unseen = [];
  document.addEventListener('focusin', ({ target }) => {
    window.stops.add(target.type === 'radio' ? target.name : target);
    const marked = [target, target.closest('label'), target.parentElement].filter(Boolean).map((one) => getComputedStyle(one));
    if (marked.some(({ outlineStyle, boxShadow }) => outlineStyle !== 'none' || boxShadow !== 'none')) return;
    window.unseen.push(target.outerHTML.slice(0, 120));
  }, { signal: window.walk.signal });
})()`;

test('everything on a page is reached with the Tab key, and the focus is seen', { skip }, async () => {
  const { page } = await openPage(browser, stage.url, { viewport: desk });
  await signIn(page);
  for (const scene of scenes.filter((one) => one.as === 'user' && one.name !== 'payload')) {
    await scene.show(page, stage, english);
    // Again where the page was still loading: then what was counted is not what was walked.
    await eventually(`${scene.name}: the Tab key reaches everything`, async () => {
      const wanted = await page.evaluate<number>(stopsOf);
      await page.evaluate(watchFocus);
      await Promise.all(Array.from({ length: wanted + 2 }, () => page.keyboard.press('Tab')));
      assert.deepEqual(await page.evaluate('window.unseen'), [], 'where the focus is not seen');
      assert.equal(await page.evaluate('window.stops.size'), wanted, 'stops that were reached');
      return true;
    });
  }
  await page.context().close();
});

test('a dialog keeps the focus, and gives it back where it came from', { skip }, async () => {
  const { page } = await openPage(browser, stage.url, { viewport: desk });
  await signIn(page);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate('document.activeElement?.id'), 'main', 'the first stop leads past the navigation');
  await page.evaluate('location.hash = "/keys"');
  const opener = page.getByRole('button', { name: 'Revoke Billing' });
  for (const end of ['Escape', 'Enter']) {
    await opener.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    // Its own close button and the browser are all that is outside of the choice.
    for (let presses = 0; presses < 6; presses += 1) {
      await page.keyboard.press('Tab');
      assert.ok(
        await page.evaluate(
          'document.activeElement === document.body || document.activeElement.closest("dialog") !== null',
        ),
      );
    }
    if (end === 'Enter') await dialog.getByRole('button', { name: 'Cancel' }).focus();
    await page.keyboard.press(end);
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await page.evaluate('document.activeElement?.getAttribute("aria-label")'), 'Revoke Billing', end);
  }
  await page.context().close();
});

test('the operator sees the nodes of an installation that has several', { skip }, async () => {
  const { page } = await openPage(browser, `${stage.url}/health/live`, { viewport: desk });
  // Their answer as the interface's document shows it; the stage itself is a single process.
  const listed = {
    nodes: [
      { id: 'a1b2', url: 'http://10.0.0.1:8080', draining: false, devices: 3 },
      { id: 'c3d4', url: 'http://10.0.0.2:8080', draining: true, devices: 0 },
    ],
  };
  await page.route('**/admin/v1/nodes', (route) => route.fulfill({ json: listed }));
  await page.goto(stage.url);
  await signInAsOperator(page);
  const row = (id: string) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: id }) });
  await row('a1b2').getByText('Running').waitFor();
  await row('c3d4').getByText('Shutting down').waitFor();
  assert.match((await row('a1b2').textContent()) ?? '', /http:\/\/10\.0\.0\.1:80803/);
  assert.deepEqual(await violationsOn(page), []);
  await page.context().close();
});

test('what could not be loaded comes by itself, and copying works over plain http', { skip }, async () => {
  const { page } = await openPage(browser, stage.url, { viewport: desk });
  await signIn(page);
  const refusal = { status: 429, json: { status: { code: 429, message: 'Slow down' } } };
  await page.route('**/v1/keys', (route) => route.fulfill(refusal), { times: 1 });
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByText('Slow down').waitFor();
  await page.getByRole('row', { name: /Billing/ }).waitFor();
  assert.equal(await page.title(), 'API keys · Handset');
  // A page over plain http that is not of this machine has none.
  await page.evaluate(
    'window.clipboard = navigator.clipboard; Object.defineProperty(navigator, "clipboard", { value: undefined })',
  );
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Name').fill('Copied by hand');
  await page.getByRole('button', { name: 'Create key' }).click();
  const secret = await page.locator('[data-secret]').textContent();
  await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('dialog').getByText('Copied', { exact: true }).waitFor();
  assert.equal(await page.evaluate('window.clipboard.readText()'), secret);
  await page.context().close();
});

test('long names widen no page', { skip }, async () => {
  const { installation } = stage;
  await installation.phones.add('4915550008888', 'Christiane-Marie von Hohenlohe-Waldenburg-Schillingsfürst');
  const { device } = (await installation.api.post('/devices', { name: 'Longname'.repeat(12) })).body;
  const { page } = await openPage(browser, stage.url, { viewport: desk });
  await signIn(page);
  await page.getByText('LongnameLongname').waitFor();
  await page
    .getByText(/^Christiane/)
    .first()
    .waitFor({ state: 'attached' });
  for (const size of [phone, desk]) {
    await page.setViewportSize(size);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0, `${size.width} px`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  const hidden = (selector: string): Promise<number> =>
    page.evaluate(
      `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('${selector}'))`,
    );
  assert.equal(await hidden('td .under'), 0, 'beside the phone, numbers are whole');
  await page.evaluate(`location.hash = '/devices/${device.id}/settings'`);
  await page.getByRole('heading', { name: /^Longname/, level: 1 }).waitFor();
  assert.equal(await hidden('main'), 0, 'nothing is under the phone');
  await installation.api.delete(`/devices/${device.id}`);
  await page.context().close();
});

testControls(
  () => stage,
  () => browser,
);

// Last: it makes a device.
testDocsPage(
  () => stage,
  () => browser,
);
