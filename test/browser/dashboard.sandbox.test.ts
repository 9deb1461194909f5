/** The sandbox phone beside the pages: which phone it shows, and what it does with a passkey and with groups; and where notices stand. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { ada, addPhones, bob, deviceBeforeGate, linkDevice } from '../flows/steps.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { launch, openPage, skip } from './browser.ts';
import { signIn } from './scenes.ts';

describe('the sandbox phone', { skip }, () => {
  let installation: Installation;
  let browser: Browser;
  let page: Page;
  let complaints: string[];
  let device: number;
  before(async () => {
    [installation, browser] = await Promise.all([startInstallation(), launch()]);
    await addPhones(installation);
    device = await linkDevice(installation);
    ({ page, complaints } = await openPage(browser, installation.handset.url, {
      viewport: { width: 1440, height: 900 },
    }));
    await signIn(page);
  });
  after(async () => {
    await browser?.close();
    await installation?.[Symbol.asyncDispose]();
  });
  afterEach(() => complaints.splice(0));

  const phone = () => page.getByRole('complementary', { name: 'Sandbox phone' });
  const shows = (number: string) => phone().locator(`select:has(option[value="${number}"]:checked)`).first().waitFor();
  const goTo = (hash: string): Promise<unknown> => page.evaluate(`location.hash = '${hash}'`);

  it('shows the phone that a device waits for, and leads on to its passkey without an error', async () => {
    const [chloe, deniz] = ['4915550006666', '4915550007777'];
    await installation.phones.add(chloe, 'Chloé');
    await installation.phones.add(deniz, 'Deniz');
    await installation.phones.behave(deniz, { linking: 'passkey' });
    const { body } = await installation.api.post('/devices', { phoneNumber: deniz });
    await goTo(`/devices/${body.device.id}`);
    await shows(deniz);
    await phone().getByRole('button', { name: 'Enter the code' }).click();
    await page.getByText('One step is left').waitFor();
    await page.getByRole('heading', { name: 'Confirm with your passkey' }).waitFor();
    assert.equal(await page.locator('.notice.bad').count(), 0);
    await shows(deniz);
    await phone().getByRole('button', { name: 'Use this phone’s passkey' }).waitFor();
    await goTo(`/devices/${device}/chat/${chloe}`);
    await shows(chloe);
    await installation.api.delete(`/devices/${body.device.id}`);
  });

  it('forgets the passkey of a device that is no longer on display', async () => {
    const eve = '4915550005555';
    await installation.phones.add(eve, 'Eve');
    await installation.phones.behave(eve, { linking: 'passkey' });
    const gated = await deviceBeforeGate(installation, eve);
    await goTo(`/devices/${gated}`);
    // So that the page reads it from the session, not from the event.
    await page.reload();
    await shows(eve);
    await goTo(`/devices/${device}/chat/${bob}`);
    await shows(bob);
    await installation.api.delete(`/devices/${gated}`);
  });

  it('opens a conversation that does not exist yet without asking for it', async () => {
    await goTo(`/devices/${device}/chat/4915550009999`);
    await page.getByRole('heading', { name: '+49 15550 009999' }).waitFor();
    await page.getByPlaceholder('Message', { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it('writes into a group, and names the group of a message', async () => {
    const { jid } = await installation.phones.request<{ jid: string }>('POST', '/groups', {
      subject: 'Harvest',
      owner: bob,
      participants: [ada],
    });
    await goTo(`/devices/${device}/chat/${bob}`);
    await shows(bob);
    const to = phone().getByLabel('To');
    await to.focus();
    await to.locator('option', { hasText: 'Harvest' }).waitFor({ state: 'attached' });
    await to.selectOption({ label: 'Harvest' });
    await phone().getByLabel('Write as this person').fill('Who brings the ladder?');
    await phone().getByRole('button', { name: 'Send' }).click();
    const log = phone().getByRole('log');
    await log.getByRole('listitem').filter({ hasText: 'Harvest' }).getByText('Who brings the ladder?').waitFor();
    await goTo(`/devices/${device}/chat/${encodeURIComponent(jid)}`);
    await page
      .getByRole('log', { name: 'Messages in this conversation' })
      .getByText('Who brings the ladder?')
      .waitFor();
    await installation.api.post(`/devices/${device}/messages/text`, { to: jid, message: 'I do' });
    await log.getByRole('listitem').filter({ hasText: 'I do' }).getByText('Ada, Harvest').waitFor();
  });

  it('shows an error on top of the dialog that caused it, and covers no tabs', async () => {
    await installation.api.post('/keys', { name: 'Till' });
    await goTo('/keys');
    await page.getByRole('button', { name: 'Revoke Till' }).click();
    const revoke = page.getByRole('dialog').getByRole('button', { name: 'Revoke' });
    const refusal = { status: 500, json: { status: { code: 500, message: 'The disk is full' } } };
    await page.route('**/v1/keys/*', (route) => route.fulfill(refusal), { times: 1 });
    await revoke.click();
    const notice = (text: string) => page.locator('.notice', { hasText: text });
    const error = page.getByRole('alert').filter({ hasText: 'The disk is full' });
    // A button outside of an open dialog, or behind it, cannot be clicked.
    await error.getByRole('button', { name: 'Close' }).click();
    await error.waitFor({ state: 'detached' });
    await revoke.click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await notice('Key revoked.').waitFor();
    await page.route('**/v1/devices/*/restart', (route) => route.fulfill(refusal), { times: 1 });
    await goTo(`/devices/${device}/settings`);
    await notice('Key revoked.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Restart', exact: true }).click();
    await error.waitFor();
    const tabs = page.getByRole('navigation', { name: 'Device', exact: true });
    const [shown, above] = await Promise.all([error.boundingBox(), tabs.boundingBox()]);
    assert.ok(shown!.y >= above!.y + above!.height, 'the error stands below the tabs');
  });
});
