/** `npm run screenshots`: a picture of each page, in both themes, at the width of a desk and of a phone, and those of the guides. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { english } from '../../dashboard/src/texts/en/index.ts';
import { launch, openPage, skip } from './browser.ts';
import { ada } from '../flows/steps.ts';
import { filmFirstSteps } from './first-steps.ts';
import { photographLinking } from './linking-pictures.ts';
import { kinds } from './message-kinds.ts';
import { type Scene, type Stage, scenes, setStage, signIn, signInAsOperator } from './scenes.ts';

const folder = join(import.meta.dirname, '..', '..', 'docs', 'images');

const widths = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
} as const;

const save = async (name: string, png: Buffer): Promise<void> => {
  const small = await sharp(png).png({ palette: true, quality: 90, effort: 8, dither: 0 }).toBuffer();
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
    await scene.show(page, stage, english);
    await page.mouse.move(0, 0);
    await save(name, await page.locator(part).first().screenshot({ animations: 'disabled', caret: 'hide' }));
    await page.context().close();
  }
};

/** A conversation of several kinds of messages, for which the scenes have no use. */
const takeKinds = async (browser: Browser, { installation, url, device }: Stage): Promise<void> => {
  const chloe = '4915550006666';
  const { phones } = installation;
  await phones.add(chloe, 'Chloé');
  const write = async (body: Readonly<Record<string, unknown>>): Promise<string> =>
    (await phones.write(chloe, { to: ada, ...body }))[0]!;
  const place = { latitude: 52.52, longitude: 13.405, name: 'Warehouse 4', address: 'Dock Road 5, Berlin' };
  const gate = await write({ location: place });
  const poll = await write({ poll: { question: 'When shall we deliver?', options: ['Monday', 'Tuesday'] } });
  await phones.request('POST', `/phones/${chloe}/messages/${poll}/vote`, { options: ['Tuesday'] });
  await write(kinds.find(({ name }) => name === 'a voice message')!.body);
  await phones.request('POST', `/phones/${ada}/messages/${gate}/react`, { emoji: '❤' });
  const last = await write({ text: `@${ada} the gate is open from nine`, mentions: [ada], quotedMessageId: gate });
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await openPage(browser, url, { viewport: { width: 1440, height: 1120 }, colorScheme });
    await signIn(page);
    await page.evaluate(`location.hash = '/devices/${device}/chat/${chloe}'`);
    await page.locator(`[data-id="${last}"]`).getByText('@You').waitFor();
    await page.getByText('1 person has voted').waitFor();
    await page.mouse.move(0, 0);
    const png = await page.locator('.chat').screenshot({ animations: 'disabled', caret: 'hide' });
    await save(`guide-messages-${colorScheme}`, png);
    await page.context().close();
  }
};

const photograph = async (browser: Browser, stage: Stage, theme: 'light' | 'dark', width: keyof typeof widths) => {
  const take = async (scene: Scene, page: Awaited<ReturnType<typeof openPage>>['page']): Promise<void> => {
    await scene.show(page, stage, english);
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
  await filmFirstSteps(browser, folder);
  await takeDetails(browser, stage);
  for (const theme of ['light', 'dark'] as const) {
    for (const width of ['desktop', 'phone'] as const) await photograph(browser, stage, theme, width);
  }
  // Last: its conversation becomes the newest one.
  await takeKinds(browser, stage);
} finally {
  await browser.close();
}
