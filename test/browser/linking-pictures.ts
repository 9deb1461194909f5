/** The pictures of docs/linking.md: what a person sees between the scan and the linked device. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { ada, addPhones, deviceBeforeGate, untilPasskey } from '../flows/steps.ts';
import { shiftedClock } from '../support/clock.ts';
import { startInstallation } from '../support/installation.ts';
import { dialogOf, givePasskey, openLinkingBrowser } from './passkey.ts';
import { signIn } from './scenes.ts';

const viewport = { width: 1100, height: 620 };

/** Takes them into the folder. */
export const photographLinking = async (folder: string): Promise<void> => {
  const clock = shiftedClock();
  await using opened = new AsyncDisposableStack();
  const profile = await mkdtemp(join(tmpdir(), 'handset-browser-'));
  opened.defer(() => rm(profile, { recursive: true, force: true }));
  const installation = opened.use(await startInstallation({}, undefined, clock));
  const context = await openLinkingBrowser(profile, { viewport, colorScheme: 'light' });
  opened.defer(() => context.close());
  const take = async (page: Page, name: string): Promise<void> => {
    // Playwright waits for pages to be loaded, and the extension stops the page that it runs on.
    await page.bringToFront();
    const session = await context.newCDPSession(page);
    const { data } = await session.send('Page.captureScreenshot', { format: 'png' });
    const png = Buffer.from(data, 'base64');
    await writeFile(
      join(folder, `linking-${name}.png`),
      await sharp(png).png({ palette: true, quality: 90 }).toBuffer(),
    );
  };
  await addPhones(installation);
  await installation.phones.behave(ada, { linking: 'passkey' });
  const id = await deviceBeforeGate(installation, ada, { name: 'Front desk' });

  const dashboard = await context.newPage();
  await dashboard.goto(installation.handset.url);
  await signIn(dashboard);
  await dashboard.evaluate(`location.hash = '/devices/${id}'`);
  const link = dashboard.getByRole('link', { name: 'Open WhatsApp Web' });
  await link.waitFor();
  await take(dashboard, 'passkey');

  const page = await context.newPage();
  await givePasskey(page, await installation.phones.request('GET', `/phones/${ada}/passkey`));
  await page.goto((await link.getAttribute('href')) ?? '', { waitUntil: 'commit' });
  const dialog = dialogOf(page);
  await dialog.says(/^Link your WhatsApp account/);
  await take(page, 'extension');
  clock.ahead(301_000);
  // The link of the dashboard is from before: the token has to be one that still holds.
  const fresh = (await installation.api.get(`/devices/${id}/passkey`)).body.passkey.link;
  await page.goto('about:blank');
  await page.goto(fresh, { waitUntil: 'commit' });
  await dialog.press('Use passkey');
  await dialog.says(/^Done/);
  await take(page, 'done');
  await untilPasskey(installation, id, 'confirm');
  await dashboard.locator('.pairing .code').waitFor();
  await take(dashboard, 'compare');
};
