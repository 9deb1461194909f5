/** Every page, in both themes: axe finds nothing, the browser complains of nothing, and no page is wider than a phone. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { launch, openPage, skip, violationsOn } from './browser.ts';
import { type Stage, scenes, setStage, signIn, signInAsOperator } from './scenes.ts';

let stage: Stage;
let browser: Browser;

before(async () => {
  if (skip !== false) return;
  [stage, browser] = await Promise.all([setStage(), launch()]);
});

after(async () => {
  await browser?.close();
  await stage?.[Symbol.asyncDispose]();
});

const desk = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

for (const theme of ['light', 'dark'] as const) {
  test(`no page has an accessibility problem, or is wider than a phone: ${theme}`, { skip }, async () => {
    const found: string[] = [];
    for (const as of ['nobody', 'user', 'operator'] as const) {
      const { page, complaints } = await openPage(browser, stage.url, {
        viewport: desk,
        colorScheme: theme,
        reducedMotion: 'reduce',
      });
      if (as === 'user') await signIn(page);
      if (as === 'operator') await signInAsOperator(page);
      for (const scene of scenes.filter((one) => one.as === as)) {
        await scene.show(page, stage);
        found.push(...(await violationsOn(page)).map((violation) => `${scene.name}: ${violation}`));
        await page.setViewportSize(phone);
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        if (overflow > 0) found.push(`${scene.name}: ${overflow} px wider than the screen`);
        await page.setViewportSize(desk);
        await page.keyboard.press('Escape');
      }
      assert.deepEqual(complaints, [], as);
      await page.context().close();
    }
    assert.deepEqual(found, []);
  });
}
