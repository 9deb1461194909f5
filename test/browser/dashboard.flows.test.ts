/** A person's work in the dashboard, in a real browser, against the real service and the real sandbox. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { type Installation, ownerKey, startInstallation } from '../support/installation.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { eventually } from '../support/wait.ts';
import { copiedFrom, launch, openPage, skip } from './browser.ts';
import { adminToken, picture, signIn, signInAsOperator } from './scenes.ts';
import { testWebhooks } from './webhooks.ts';

let installation: Installation;
let receiver: Receiver;
let browser: Browser;
let page: Page;
let complaints: string[];

const ada = '4915550001111';
const bob = '4915550002222';

before(async () => {
  if (skip !== false) return;
  // The user's usual limit: whoever works in the dashboard must not run into it.
  const settings = { HANDSET_RATE_LIMIT: '300', HANDSET_ADMIN_TOKEN: adminToken };
  [installation, receiver, browser] = await Promise.all([startInstallation(settings), startReceiver(), launch()]);
  ({ page, complaints } = await openPage(browser, installation.handset.url, {
    viewport: { width: 1440, height: 1000 },
  }));
});

after(async () => {
  await browser?.close();
  await receiver?.close();
  await installation?.[Symbol.asyncDispose]();
});

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const phone = () => page.getByRole('complementary', { name: 'Sandbox phone' });
const log = () => page.getByRole('log', { name: 'Messages in this conversation' });
const openTab = (name: string) =>
  page.getByRole('navigation', { name: 'Device', exact: true }).getByRole('link', { name }).click();
const says = (text: string | RegExp) => page.getByRole('status').getByText(text).first().waitFor();

test('a wrong key is refused in words, a right one opens the devices and stays in this tab', { skip }, async () => {
  const key = page.getByRole('textbox', { name: 'API key' });
  await button('Sign in').click();
  await page.getByText('Enter your API key.').waitFor();
  await key.fill(`hs_${'B'.repeat(43)}`);
  await button('Sign in').click();
  await page.getByText('This key is not valid.').waitFor();
  // The browser logs every 401 by itself.
  assert.equal(complaints.filter((text) => !text.includes('401')).length, 0);
  complaints.length = 0;
  await signIn(page);
  await page.getByText('No devices yet').waitFor();
  const kept = await page.evaluate<string>('JSON.stringify([sessionStorage, localStorage, document.cookie])');
  assert.ok(!kept.includes(ownerKey.slice(8)), 'the key is nowhere in the browser');
  assert.doesNotMatch(await page.evaluate<string>('JSON.stringify(localStorage) + document.cookie'), /hs_/);
});

test('a device is made, its QR counts down and is renewed, and one click on the phone scans it', { skip }, async () => {
  await page.getByRole('link', { name: 'New device' }).click();
  await page.getByLabel('Name').fill('Front desk');
  await button('Create device').click();
  const qr = page.getByAltText('QR code to scan with your phone');
  const first = await qr.getAttribute('src');
  await page.getByText('Link a phone with the code above.').waitFor();
  assert.equal(await page.getByLabel('Message', { exact: true }).count(), 0);
  await page
    .getByRole('timer')
    .getByText(/^New QR code in \d+ s$/)
    .waitFor();
  // Somebody else's restart stands for the minute after which the network gives another QR.
  assert.equal((await installation.api.post('/devices/1/restart', {})).status, 200);
  await eventually('another QR', async () => (await qr.getAttribute('src')) !== first);
  await phone().getByRole('button', { name: 'Add two phones' }).click();
  await phone().getByRole('button', { name: 'Scan the QR code' }).click();
  await page.getByText('Connected and ready to send').waitFor();
  const account = page.getByText('Ada, +49 15550 001111', { exact: true }).filter({ visible: true });
  assert.match(await copiedFrom(account.first()), /Ada, \+4915550001111/);
});

test('a text goes out, the phone reads it, and the ticks follow live', { skip }, async () => {
  await page.getByLabel('To', { exact: true }).first().fill('+49 155 5000 2222');
  await page.getByLabel('Message', { exact: true }).fill('Hello from the dashboard');
  await page.keyboard.press('Enter');
  const sent = log().getByRole('listitem').filter({ hasText: 'Hello from the dashboard' });
  await sent.getByRole('img', { name: 'Delivered' }).waitFor();
  await phone().getByText('Hello from the dashboard').waitFor();
  await phone().getByRole('button', { name: 'Mark as read' }).click();
  await sent.getByRole('img', { name: 'Read', exact: true }).waitFor();
});

test('what the other person writes appears by itself', { skip }, async () => {
  await phone().getByLabel('Write as this person').fill('Hello yourself');
  await phone().getByRole('button', { name: 'Send' }).click();
  await log().getByText('Hello yourself').waitFor();
  await page.getByRole('heading', { name: 'Bob', level: 2 }).waitFor();
});

test('an image is previewed, dropped or chosen, and arrives as it was', { skip }, async () => {
  const image = { name: 'parcel.png', mimeType: 'image/png', buffer: picture() };
  const base64 = image.buffer.toString('base64');
  const transfer = await page.evaluateHandle(
    `(async () => { const bytes = Uint8Array.from(atob('${base64}'), (c) => c.charCodeAt(0));
      const transfer = new DataTransfer(); transfer.items.add(new File([bytes], 'parcel.png', { type: 'image/png' })); return transfer; })()`,
  );
  await page.locator('form.composer').dispatchEvent('drop', { dataTransfer: transfer });
  await page.getByAltText('Preview of parcel.png').waitFor();
  await page.getByLabel('Message', { exact: true }).fill('Your parcel');
  await button('Send').first().click();
  await log().getByText('Your parcel').waitFor();
  await phone().getByText('Image, 480 × 320').waitFor();
  await log().getByRole('img', { name: 'Your parcel' }).waitFor();
});

testWebhooks(() => ({ installation, page, receiver }));

test('what is live costs no request of the user', { skip }, async () => {
  await openTab('Messages');
  await page.getByRole('list', { name: 'Conversations' }).getByRole('button', { name: 'Bob' }).click();
  await log().getByText('Your parcel').waitFor();
  const requests: string[] = [];
  page.on('request', (request) => {
    // What has come is marked as read, all of it at once, after three seconds.
    if (/^\/v1\/.*(?<!\/read)$/.test(new URL(request.url()).pathname)) requests.push(request.url());
  });
  await installation.phones.write(bob, { to: ada, text: 'Number {n}', count: 20 });
  await log().getByText('Number 20', { exact: true }).waitFor();
  assert.deepEqual(requests, []);
});

test('activity is drawn, with the numbers for who cannot see it', { skip }, async () => {
  await openTab('Activity');
  await page.getByRole('img', { name: /^Messages\. Sent: 2 total\. Received: 27 total/ }).waitFor();
  await page.getByRole('img', { name: /^Failures\. Messages: 0 total/ }).waitFor();
  await installation.phones.write(bob, { to: ada, text: 'One more' });
  await page.getByRole('img', { name: /^Messages\. Sent: 2 total\. Received: 28 total/ }).waitFor();
  await page.getByText('Show as table').first().click();
  await page.getByRole('columnheader', { name: 'Received' }).waitFor();
});

test('a key is made, shown once, and revoked', { skip }, async () => {
  await page.getByRole('link', { name: 'API keys' }).click();
  await button('New key').click();
  await page.getByLabel('Name').fill('Billing');
  await button('Create key').click();
  const secret = (await page.locator('[data-secret]').textContent()) ?? '';
  assert.match(secret, /^hs_[\w-]{43}$/);
  await page.keyboard.press('Escape');
  const ask = (): Promise<Response> =>
    fetch(`${installation.handset.url}/v1/me`, { headers: { authorization: `Bearer ${secret}` } });
  assert.equal((await ask()).status, 200);
  await button('Revoke Billing').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await says('Key revoked.');
  assert.equal((await ask()).status, 401);
});

test('a person is listed as not to be written to, refused, and taken off the list', { skip }, async () => {
  await page.getByRole('link', { name: 'Opt-outs' }).click();
  await page.getByText('No opt-outs yet').waitFor();
  await page.getByLabel('Phone number').fill('+49 155');
  await button('Add opt-out').click();
  await page.getByText('Enter 8 to 15 digits, country code included.').waitFor();
  await page.getByLabel('Phone number').fill('+49 155 5000 9999');
  await page.getByLabel('Reason (optional)').fill('asked by phone');
  await button('Add opt-out').click();
  await page.getByRole('row', { name: /15550\s009999.*asked by phone/ }).waitFor();
  const body = { toNumber: '4915550009999', message: 'Hello' };
  assert.equal((await installation.api.post('/devices/1/messages/text', body)).status, 403);
  await button('Remove +49 15550 009999').click();
  await page.getByText('No opt-outs yet').waitFor();
});

test('use is shown against the limits', { skip }, async () => {
  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByText('1 of 10').waitFor();
  await page.getByText(/^\d+ of 300$/).waitFor();
  await page.getByText('Client version', { exact: true }).waitFor();
  await page.getByText(/^2\.3000\.\d+, .*, released (today|\d+ days? ago)$/).waitFor();
});

test(
  'a device is paired by a code, with the keyboard alone, and tells the history that it loads',
  { skip },
  async () => {
    await page.evaluate('location.hash = "/devices/new"');
    await page.getByRole('heading', { name: 'New device' }).waitFor();
    await installation.phones.add('4915550009999', 'Zoe');
    await installation.phones.write(bob, { to: '4915550009999', text: 'old {n}', count: 3 });
    await page.getByLabel('Name').focus();
    await page.keyboard.type('By code');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await page.keyboard.type('4915550009999');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Recent');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const code = page.locator('.code');
    await code.waitFor();
    assert.match((await code.textContent()) ?? '', /^[A-Z0-9]{4}-[A-Z0-9]{4}$/);
    await button('Copy code').click();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), await code.textContent());
    await installation.phones.enterCode('4915550009999', (await code.textContent()) ?? '');
    await page.getByText('Connected and ready to send').waitFor();
    await page.getByText('Loading messages from your phone: 3 so far…').waitFor();
    await page.getByRole('list', { name: 'Conversations' }).getByText(/^old/).waitFor();
  },
);

test('a device is renamed, stopped, started, restarted, disconnected and deleted', { skip }, async () => {
  await openTab('Settings');
  await page.getByLabel('Name').fill('Back office');
  await button('Save').click();
  await page.getByRole('heading', { name: 'Back office' }).waitFor();
  await page.getByRole('switch', { name: 'Appear online' }).click();
  await page.getByRole('switch', { name: 'Appear online', checked: true }).waitFor();
  const id = Number(/devices\/(\d+)/.exec(page.url())?.[1]);
  const settings = async () => (await installation.api.get(`/devices/${id}/settings`)).body.settings;
  await eventually('it is set', async () => (await settings()).online === true);
  await page.getByText('This account is not restricted.').waitFor();
  await page.getByLabel('New chats per day', { exact: true }).fill('20');
  await button('Save: New chats per day').click();
  await page.getByText(/^\d+ of 20 new chats started\./).waitFor();
  assert.equal((await settings()).newChatsPerDay, 20);
  await page.getByText('The device connects to WhatsApp directly.').waitFor();
  await page.getByLabel('Proxy URL', { exact: true }).fill('http://carol:s3cret@127.0.0.1:9');
  assert.equal(await page.getByLabel('Proxy URL', { exact: true }).getAttribute('type'), 'password');
  await button('Save: Proxy URL').click();
  await page.getByText('The device connects through http://127.0.0.1:9.').waitFor();
  assert.ok(!(await page.content()).includes('s3cret'));
  await button('Connect directly').click();
  await page.getByText('The device connects to WhatsApp directly.').waitFor();
  await page.getByText('Connected and ready to send').first().waitFor();
  await page.getByLabel('Stop words', { exact: true }).fill('STOP\nUnsubscribe');
  await button('Save: Stop words').click();
  await eventually('the words are set', async () => (await settings()).stopWords.join() === 'STOP,Unsubscribe');
  await button('Deactivate').click();
  await page.getByText('Inactive', { exact: true }).waitFor();
  await button('Activate').click();
  await page.getByText('Connected and ready to send').first().waitFor();
  await button('Restart').click();
  await says('The device is restarting.');
  await page.getByText('Connected and ready to send').first().waitFor();
  await button('Disconnect').click();
  await page.getByRole('dialog').getByText('Disconnect this device?').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await button('Disconnect').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
  await page.getByText('Not connected', { exact: true }).first().waitFor();
  await button('Pair again').click();
  await page.getByAltText('QR code to scan with your phone').waitFor();
  await page.getByText('Does your phone say “Couldn’t link device”?').click();
  await page.getByText(/^Client version 2\.3000\.\d+, fetched from the network, released .*\.$/).waitFor();
  await button('Delete').click();
  await page.getByLabel('Type “Back office” to confirm').fill('Back office');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
  await page.getByText('1 of 1 device connected').waitFor();
  assert.equal((await installation.api.get('/devices')).body.devices.length, 1);
});

test('a theme that is chosen stays, and signing out forgets the key', { skip }, async () => {
  await page.getByLabel('Theme').selectOption('dark');
  await page.reload();
  await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
  assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
  assert.equal(await page.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(14, 21, 19)');
  await button('Sign out').click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.equal(await page.evaluate('sessionStorage.length'), 0);
});

test('the operator makes a user, changes the limit, makes a key, and deletes the user', { skip }, async () => {
  await signInAsOperator(page);
  await page.getByText(/^Client version 2\.3000\.\d+, fetched from the network, released .*\.$/).waitFor();
  await button('New user').click();
  await page.getByLabel('Name').fill('Bakery');
  await page.getByLabel('Device limit').fill('3');
  await button('Create user').click();
  await button('New key for Bakery').click();
  const secret = (await page.locator('[data-secret]').textContent()) ?? '';
  await page.keyboard.press('Escape');
  const me = await fetch(`${installation.handset.url}/v1/me`, { headers: { authorization: `Bearer ${secret}` } });
  assert.equal(((await me.json()) as { user: { deviceLimit: number } }).user.deviceLimit, 3);
  await button('Edit Bakery').click();
  await page.getByLabel('Device limit').fill('5');
  await button('Save').click();
  await page.getByText('0 of 5').waitFor();
  await button('Delete Bakery').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await says('User deleted.');
});

test('the browser has complained of nothing: no refused script, style or address', { skip }, () => {
  assert.deepEqual(complaints, []);
});
