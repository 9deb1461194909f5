/** `npm run screenshots`: takes a picture of each page, in both themes, at the width of a desk and of a phone. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { launch, openPage, skip } from './browser.ts';
import { photographLinking } from './linking-pictures.ts';
import { type Scene, type Stage, scenes, setStage, signIn, signInAsOperator } from './scenes.ts';

const folder = join(import.meta.dirname, '..', '..', 'docs', 'images');

const widths = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
} as const;

const photograph = async (browser: Browser, stage: Stage, theme: 'light' | 'dark', width: keyof typeof widths) => {
  const take = async (scene: Scene, page: Awaited<ReturnType<typeof openPage>>['page']): Promise<void> => {
    await scene.show(page, stage);
    await page.mouse.move(0, 0);
    const png = await page.screenshot({ animations: 'disabled', caret: 'hide' });
    const path = join(folder, `dashboard-${scene.name}-${theme}-${width}.png`);
    await writeFile(path, await sharp(png).png({ palette: true, quality: 90, effort: 8 }).toBuffer());
    await page.keyboard.press('Escape');
  };
  for (const as of ['nobody', 'user', 'operator'] as const) {
    const { page } = await openPage(browser, stage.url, { viewport: widths[width], colorScheme: theme });
    if (as === 'user') await signIn(page);
    if (as === 'operator') await signInAsOperator(page);
    for (const scene of scenes.filter((one) => one.as === as)) await take(scene, page);
    await page.context().close();
  }
};

if (skip !== false) throw new Error(skip);
await mkdir(folder, { recursive: true });
await photographLinking(folder);
await using stage = await setStage({ inOrder: true });
const browser = await launch();
try {
  for (const theme of ['light', 'dark'] as const) {
    for (const width of ['desktop', 'phone'] as const) await photograph(browser, stage, theme, width);
  }
} finally {
  await browser.close();
}
