/** The extension in a real browser: from the link to the linked device, and what it says when that does not work. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { ada, addPhones, bob, deviceBeforeGate, untilOpen } from '../flows/steps.ts';
import { shiftedClock } from '../support/clock.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { skip } from './browser.ts';
import { givePasskey, openLinkingBrowser } from './passkey.ts';

const extension = join(import.meta.dirname, '../../extension');

describe('the extension', { skip }, () => {
  const clock = shiftedClock();
  let installation: Installation;
  let context: BrowserContext;
  let page: Page;
  let profile: string;
  before(async () => {
    profile = await mkdtemp(join(tmpdir(), 'handset-browser-'));
    [installation, context] = await Promise.all([startInstallation({}, undefined, clock), openLinkingBrowser(profile)]);
    await addPhones(installation);
    await installation.phones.behave(ada, { linking: 'passkey' });
  });
  after(async () => {
    await context?.close();
    await installation?.[Symbol.asyncDispose]();
    await rm(profile, { recursive: true, force: true });
  });
  afterEach(async () => {
    await page?.close();
    const { devices } = (await installation.api.get('/devices')).body;
    for (const { id } of devices) await installation.api.delete(`/devices/${id}`);
  });

  const linkOf = async (id: number): Promise<string> =>
    (await installation.api.get(`/devices/${id}/passkey`)).body.passkey.link;
  const open = async (link: string, number: string = ada): Promise<void> => {
    page = await context.newPage();
    await givePasskey(page, await installation.phones.request('GET', `/phones/${number}/passkey`));
    await page.goto(link).catch((error: unknown) => assert.match(String(error), /ERR_ABORTED/));
  };
  const says = (text: string | RegExp): Promise<void> => page.getByText(text).waitFor();
  const press = (name: string): Promise<void> => page.getByRole('button', { name }).click();

  it('asks the person, then the passkey, and the device is linked; the page has not run and has no ticket', async () => {
    const id = await deviceBeforeGate(installation);
    await open(await linkOf(id));
    await says(`Link your WhatsApp account to the Handset at ${new URL(installation.handset.url).host}?`);
    assert.equal(page.url(), 'https://web.whatsapp.com/');
    assert.equal(await page.evaluate('window.pageHasRun'), undefined);
    assert.equal((await installation.api.get(`/devices/${id}/passkey`)).body.passkey.step, 'response');
    await press('Use the passkey');
    await says(/Done: the answer is with Handset/);
    await untilOpen(installation, id);
  });
});
