/** `npm run screenshots`: a picture of each page, in both themes, at the width of a desk and of a phone, and those of the guides. */
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

const save = async (name: string, png: Buffer): Promise<void> => {
  const small = await sharp(png).png({ palette: true, quality: 90, effort: 8 }).toBuffer();
  await writeFile(join(folder, `${name}.png`), small);
};

/** Parts of pages that the guides show, without what stands beside them. */
const details: readonly { readonly name: string; readonly scene: string; readonly part: string }[] = [
  { name: 'guide-pairing', scene: 'pairing', part: 'section.pairing' },
  { name: 'guide-deliveries', scene: 'deliveries', part: 'main section.card' },
  { name: 'guide-operator', scene: 'operator', part: 'main section.card' },
];

const takeDetails = async (browser: Browser, stage: Stage): Promise<void> => {
  for (const { name, scene: wanted, part } of details) {
    const scene = scenes.find((one) => one.name === wanted)!;
    const { page } = await openPage(browser, stage.url, {
      viewport: widths.desktop,
      colorScheme: 'light',
    });
    await (scene.as === 'operator' ? signInAsOperator(page) : signIn(page));
    await scene.show(page, stage);
    await page.mouse.move(0, 0);
    await save(name, await page.locator(part).first().screenshot({ animations: 'disabled', caret: 'hide' }));
    await page.context().close();
  }
};

const photograph = async (browser: Browser, stage: Stage, theme: 'light' | 'dark', width: keyof typeof widths) => {
  const take = async (scene: Scene, page: Awaited<ReturnType<typeof openPage>>['page']): Promise<void> => {
    await scene.show(page, stage);
    await page.mouse.move(0, 0);
    const png = await page.screenshot({ animations: 'disabled', caret: 'hide' });
    await save(`dashboard-${scene.name}-${theme}-${width}`, png);
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
  await takeDetails(browser, stage);
  for (const theme of ['light', 'dark'] as const) {
    for (const width of ['desktop', 'phone'] as const) await photograph(browser, stage, theme, width);
  }
} finally {
  await browser.close();
}
