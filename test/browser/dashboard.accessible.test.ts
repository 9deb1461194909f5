/** Every page, in both themes: axe finds nothing, the browser complains of nothing, and no page is wider than a phone. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
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

/** What is wrong with what is shown: in both themes at a desk, and its width on a phone. */
const problemsOf = async (page: Page, { name }: Scene): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    found.push(...(await violationsOn(page)).map((violation) => `${name}, ${colorScheme}: ${violation}`));
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
      await scene.show(page, stage);
      found.push(...(await problemsOf(page, scene)));
      await page.keyboard.press('Escape');
    }
    assert.deepEqual(complaints, []);
    assert.deepEqual(found, []);
    await page.context().close();
  });
}
