/** Linking behind a passkey, led by the dashboard: through the extension in the same browser, and with codes to compare. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { ada, addPhones, bob } from '../flows/steps.ts';
import { shiftedClock } from '../support/clock.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { skip, violationsOn } from './browser.ts';
import { dialogOf, givePasskey, openLinkingBrowser } from './passkey.ts';
import { signIn } from './scenes.ts';

describe('the dashboard leads through a passkey', { skip }, () => {
  const clock = shiftedClock();
  let installation: Installation;
  let context: BrowserContext;
  let page: Page;
  let profile: string;
  before(async () => {
    profile = await mkdtemp(join(tmpdir(), 'handset-browser-'));
    [installation, context] = await Promise.all([
      startInstallation({}, undefined, clock),
      openLinkingBrowser(profile, { viewport: { width: 1440, height: 1000 } }),
    ]);
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: installation.handset.url });
    await addPhones(installation);
    await installation.phones.behave(ada, { linking: 'passkey' });
    page = await context.newPage();
    await page.goto(installation.handset.url);
    await signIn(page);
  });
  after(async () => {
    await context?.close();
    await installation?.[Symbol.asyncDispose]();
    await rm(profile, { recursive: true, force: true });
  });
  afterEach(async () => {
    const { devices } = (await installation.api.get('/devices')).body;
    for (const { id } of devices) await installation.api.delete(`/devices/${id}`);
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const phone = () => page.getByRole('complementary', { name: 'Sandbox phone' });
  /** A new device, shown, whose QR Ada's phone has scanned. */
  const scanned = async (): Promise<number> => {
    const { device } = (await installation.api.post('/devices', {})).body;
    await page.evaluate(`location.hash = '/devices/${device.id}'`);
    await page.getByAltText('QR code to scan with your phone').waitFor();
    // The QR code of the creation may have expired since.
    const { qr } = (await installation.api.get(`/devices/${device.id}`)).body.device;
    await assert.rejects(installation.phones.scan(ada, qr), /passkey/);
    await page.getByRole('heading', { name: 'Confirm with your passkey' }).waitFor();
    return device.id as number;
  };

  it('opens the page, where the extension asks, and says that the device is connected', async () => {
    await scanned();
    await page.getByText('WhatsApp needs your passkey to link this device').waitFor();
    const link = page.getByRole('link', { name: 'Open WhatsApp Web' });
    await link.waitFor();
    assert.deepEqual(await violationsOn(page), []);
    await button('Copy link for another browser').click();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.equal(copied, await link.getAttribute('href'));
    await page
      .getByRole('timer')
      .getByText(/^Time left: \d:\d\d min$/)
      .waitFor();
    // The authenticator has to be there before the page asks: in a tab of its own, as the link opens it.
    const other = await context.newPage();
    await givePasskey(other, await installation.phones.request('GET', `/phones/${ada}/passkey`));
    await other.goto(copied, { waitUntil: 'commit' });
    const dialog = dialogOf(other);
    await dialog.press('Use passkey');
    await dialog.says(/^Done/);
    await other.close();
    await page.getByText('Connected and ready to send').waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Confirm with your passkey' }).count(), 0);
  });

  it('shows the code to compare, and connects once a person has seen the same on the phone', async () => {
    await scanned();
    clock.ahead(301_000);
    await phone().getByRole('combobox').first().selectOption(ada);
    await phone().getByRole('button', { name: 'Use this phone’s passkey' }).click();
    const code = page.locator('.pairing .code');
    await code.waitFor();
    assert.deepEqual(await violationsOn(page), []);
    await phone()
      .getByText(`The phone shows ${await code.textContent()}`)
      .waitFor();
    await button('Codes match').click();
    await page.getByText('Connected and ready to send').waitFor();
  });

  it('tells of a refused passkey, and begins anew where a person does not go on', async () => {
    await scanned();
    await phone().getByRole('combobox').first().selectOption(bob);
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: 'Open WhatsApp Web' }).click(),
    ]);
    await dialogOf(opened).says(/^Link your WhatsApp account to the Handset at/);
    assert.equal(opened.url(), 'https://web.whatsapp.com/');
    await opened.close();
    await phone().getByRole('button', { name: 'Use this phone’s passkey' }).click();
    await page
      .getByRole('alert')
      .getByText(/rejected the last attempt \(credential-unknown \(401\)\)/)
      .waitFor();
    await button('Start over').click();
    await page.getByAltText('QR code to scan with your phone').waitFor();
  });

  it('says how long a code works, which is longer than the QR beside it', async () => {
    const { device } = (await installation.api.post('/devices', { phoneNumber: bob })).body;
    await page.evaluate(`location.hash = '/devices/${device.id}'`);
    const left = await page
      .getByRole('timer')
      .getByText(/^Expires in \d+ s$/)
      .textContent();
    assert.ok(Number(/\d+/.exec(left ?? '')?.[0]) > 100, left ?? '');
  });

  it('offers no passkey of a phone that is not asked, however late the phones are read', async () => {
    await installation.phones.behave(bob, { linking: 'passkey' });
    const { device } = (await installation.api.post('/devices', {})).body;
    await page.evaluate(`location.hash = '/devices/${device.id}'`);
    await phone().getByRole('button', { name: 'Scan the QR code' }).waitFor();
    const { qr } = (await installation.api.get(`/devices/${device.id}`)).body.device;
    const released = Promise.withResolvers<void>();
    await page.route('**/sandbox/phones', async (route) => {
      await released.promise;
      await route.continue();
    });
    await assert.rejects(installation.phones.scan(bob, qr), /passkey/);
    await page.getByRole('heading', { name: 'Confirm with your passkey' }).waitFor();
    const passkey = phone().getByRole('button', { name: 'Use this phone’s passkey' });
    assert.equal(await passkey.count(), 0);
    released.resolve();
    await passkey.click();
    await page.getByText('Connected and ready to send').waitFor();
    await page.unroute('**/sandbox/phones');
    await installation.phones.behave(bob, { linking: 'plain' });
  });

  it('follows the switch of the sandbox phone', async () => {
    await installation.api.post('/devices', { name: 'Switched' });
    const { devices } = (await installation.api.get('/devices')).body;
    await page.evaluate(`location.hash = '/devices/${devices[0].id}'`);
    const gate = phone().getByRole('button', { name: 'Require a passkey to link this phone' });
    // Until then the panel may be that of the device before: what is chosen there goes with it.
    await gate.waitFor();
    await phone().getByRole('combobox').first().selectOption(bob);
    await gate.click();
    await phone().getByRole('button', { name: 'Require a passkey to link this phone', pressed: true }).waitFor();
    await phone().getByRole('button', { name: 'Scan the QR code' }).click();
    await page.getByRole('heading', { name: 'Confirm with your passkey' }).waitFor();
    await phone().getByRole('button', { name: 'Use this phone’s passkey' }).click();
    await page.getByText('Connected and ready to send').waitFor();
    await installation.phones.behave(bob, { linking: 'plain' });
  });
});
