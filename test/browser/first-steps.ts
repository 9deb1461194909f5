/** The moving picture of the README: from the sign-in to the first answer, in the sandbox. */
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { startInstallation } from '../support/installation.ts';
import { openPage } from './browser.ts';
import { signIn } from './scenes.ts';

const size = { width: 1280, height: 760 };
/** Of the picture, in pixels. */
const width = 960;

interface Frame {
  readonly png: Buffer;
  readonly ms: number;
}

const film = async (browser: Browser, frames: Frame[]): Promise<void> => {
  await using installation = await startInstallation();
  const { page } = await openPage(browser, installation.handset.url, { viewport: size, colorScheme: 'light' });
  const show = async (ms: number): Promise<void> => {
    await page.mouse.move(0, 0);
    const png = await page.screenshot({ animations: 'disabled', caret: 'hide' });
    frames.push({ png: await sharp(png).resize({ width }).png().toBuffer(), ms });
  };
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const phone = page.getByRole('complementary', { name: 'Sandbox phone' });
  const chat = page.getByRole('log', { name: 'Messages in this conversation' });
  const write = async (place: ReturnType<typeof page.getByLabel>, text: string): Promise<void> => {
    for (const part of [text.slice(0, text.length / 2), text]) {
      await place.fill(part);
      await show(350);
    }
  };
  await signIn(page);
  await show(1_200);
  await page.getByRole('link', { name: 'New device' }).click();
  await page.getByLabel('Name').fill('Front desk');
  await show(1_200);
  await button('Create device').click();
  await page.getByAltText('QR code to scan with your phone').waitFor();
  await phone.getByRole('button', { name: 'Add two phones' }).waitFor();
  await show(1_500);
  await phone.getByRole('button', { name: 'Add two phones' }).click();
  await phone.getByRole('button', { name: 'Scan the QR code' }).waitFor();
  await show(1_500);
  await phone.getByRole('button', { name: 'Scan the QR code' }).click();
  await page.getByText('Connected and ready to send').waitFor();
  await show(1_500);
  await page.getByLabel('To', { exact: true }).first().fill('+49 155 5000 2222');
  await write(page.getByLabel('Message', { exact: true }), 'Your order is ready');
  await page.keyboard.press('Enter');
  const sent = chat.getByRole('listitem').filter({ hasText: 'Your order is ready' });
  await sent.getByRole('img', { name: 'Delivered' }).waitFor();
  await phone.getByText('Your order is ready').waitFor();
  await show(1_500);
  await write(phone.getByLabel('Write as this person'), 'On my way!');
  await phone.getByRole('button', { name: 'Send' }).click();
  await chat.getByText('On my way!').waitFor();
  await show(3_000);
  await page.context().close();
};

/** Writes `first-steps.gif` into the folder. */
export const filmFirstSteps = async (browser: Browser, folder: string): Promise<void> => {
  const frames: Frame[] = [];
  await film(browser, frames);
  const joined = sharp(
    frames.map(({ png }) => png),
    { join: { animated: true } },
  );
  const delay = frames.map(({ ms }) => ms);
  await joined.gif({ delay, loop: 0, colours: 128, effort: 8, dither: 0 }).toFile(join(folder, 'first-steps.gif'));
};
