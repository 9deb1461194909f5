/** What a person types is kept, goes where it was meant to, and the page never claims what it does not know. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { ada, addPhones, bob, linkDevice, untilShown } from '../flows/steps.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { type Proxy, startProxy } from '../support/proxies/proxy.ts';
import { eventually } from '../support/wait.ts';
import { launch, openPage, skip, violationsOn } from './browser.ts';
import { signIn } from './scenes.ts';

const carol = '4915550004444';

let installation: Installation;
let browser: Browser;
let proxy: Proxy;
let device: number;

before(async () => {
  if (skip !== false) return;
  [installation, browser, proxy] = await Promise.all([startInstallation(), launch(), startProxy()]);
  proxy.lead(Number(new URL(installation.handset.url).port));
  await addPhones(installation);
  await installation.phones.add(carol, 'Carol');
  device = await linkDevice(installation);
  await installation.phones.write(bob, { to: ada, text: 'Good morning' });
  await untilShown(installation, bob, 'Good morning');
});

after(async () => {
  await browser?.close();
  await proxy?.close();
  await installation?.[Symbol.asyncDispose]();
});

afterEach(() => proxy?.restore());

const open = async (hash: string, options: Parameters<typeof openPage>[2] = {}): Promise<Page> => {
  const { page } = await openPage(browser, `http://127.0.0.1:${proxy.port}`, options);
  page.setDefaultTimeout(12_000);
  await signIn(page);
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  return page;
};
const focused = (page: Page): Promise<string> =>
  page.evaluate('document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent');
const boxOf = async (one: Locator) => (await one.boundingBox())!;
const chatsIn = (page: Page) => page.getByRole('list', { name: 'Conversations' }).getByRole('button');

test('a dialog begins in its first field, and at Cancel where something is destroyed', { skip }, async () => {
  const page = await open(`/devices/${device}/chat/${bob}`);
  const dialog = page.getByRole('dialog');
  for (const [item, field] of [
    ['Poll', 'Question'],
    ['Location', 'Coordinates'],
    ['Contact', 'Name'],
  ] as const) {
    await page.getByRole('button', { name: 'Attach' }).click();
    await page.getByRole('menuitem', { name: item }).click();
    await dialog.waitFor();
    assert.equal(await focused(page), field);
    await page.keyboard.type('Lunch?');
    await page.keyboard.press('Enter');
    assert.equal(await dialog.getByLabel(field, { exact: true }).inputValue(), 'Lunch?', 'what was typed is there');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
  await page.getByRole('button', { name: 'Groups' }).click();
  await page.getByRole('menuitem', { name: 'New group' }).click();
  await dialog.waitFor();
  assert.equal(await focused(page), 'Group name');
  await page.keyboard.press('Escape');
  await page.evaluate(`location.hash = '/devices/${device}/settings'`);
  await page.getByRole('button', { name: 'Disconnect', exact: true }).click();
  await dialog.waitFor();
  assert.equal(await focused(page), 'Cancel');
  await page.context().close();
});

test('a list of people is split, and what is no person holds a new group back', { skip }, async () => {
  const page = await open(`/devices/${device}/chat/${bob}`);
  const made = (): Promise<number> =>
    installation.api.get(`/devices/${device}/groups`).then(({ body }) => body.groups.length as number);
  const groups = await made();
  await page.getByRole('button', { name: 'Groups' }).click();
  await page.getByRole('menuitem', { name: 'New group' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Group name').fill('Lunch');
  const people = dialog.getByLabel('Add people');
  await people.fill(`${bob}, nobody at all`);
  await dialog.getByRole('button', { name: 'Create group' }).click();
  await dialog.getByRole('alert').waitFor();
  assert.equal(await made(), groups, 'no group yet');
  assert.equal(await people.inputValue(), 'nobody at all');
  await people.fill(`${bob}, +49 155 5000 4444`);
  await dialog.getByRole('button', { name: 'Create group' }).click();
  const results = dialog.getByRole('list', { name: 'Results' }).getByRole('listitem');
  await results.first().waitFor();
  assert.equal(await results.count(), 2);
  await page.context().close();
});

test('the recipient of a new conversation is completed from the contacts, and checked first', { skip }, async () => {
  const page = await open(`/devices/${device}/chat/new`);
  const to = page.getByLabel('To', { exact: true }).first();
  const log = page.getByRole('log', { name: 'Messages in this conversation' });
  await chatsIn(page).first().waitFor();
  const chats = await chatsIn(page).count();
  await to.fill('Nobody whom we know');
  await page.getByLabel('Message', { exact: true }).fill('Hello');
  await page.keyboard.press('Enter');
  await page.getByText('No contact has this name.').waitFor();
  await to.fill('+49 155 5000 9876');
  await page.getByLabel('Message', { exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.locator('.composer [role=alert]').filter({ hasText: 'country code' }).waitFor();
  assert.equal(await chatsIn(page).count(), chats, 'no chat without a person');
  assert.equal(await page.getByLabel('Message', { exact: true }).inputValue(), 'Hello', 'the draft stays');
  await to.fill('Bo');
  await page.getByRole('list', { name: 'Contacts' }).getByRole('button', { name: 'Bob' }).click();
  await page.getByRole('heading', { name: 'Bob', level: 2 }).waitFor();
  await page.getByLabel('Message', { exact: true }).press('Enter');
  await log.getByText('Hello').waitFor();
  await untilShown(installation, bob, 'Hello');
  await page.context().close();
});

test('messages are divided by the days of the reader, with words for the last two', { skip }, async () => {
  const page = await open('/devices', { timezoneId: 'America/Los_Angeles' });
  const path = `**/v1/devices/${device}/messages?*`;
  const { messages, ...rest } = (await installation.api.get(`/devices/${device}/messages`)).body;
  const sample = { ...messages.at(-1), editedAt: null };
  // 23:30 and 00:30 of the reader, on one day by UTC.
  const at = (day: number, hour: number): string => {
    const date = new Date(Date.now() - 8 * 3_600_000 + day * 86_400_000);
    return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), hour + 8, 30)).toISOString();
  };
  const said = [at(0, 0), at(-1, 23), at(-1, 1), at(-9, 12)].map((timestamp, n) => ({
    ...sample,
    id: `DAY${n}`,
    text: `Of day ${n}`,
    timestamp,
  }));
  await page.clock.setFixedTime(new Date(at(0, 12)));
  await page.route(path, (route) => route.fulfill({ json: { ...rest, messages: said, nextCursor: null } }));
  await page.evaluate(`location.hash = '/devices/${device}/chat/${bob}'`);
  await page.getByText('Of day 0').last().waitFor();
  const days = await page.locator('.log .day').allTextContents();
  assert.equal(days.length, 3);
  assert.deepEqual(days.slice(1), ['Yesterday', 'Today']);
  await page.context().close();
});

test('while the service is away a state is unknown, and texts are sent when it is back', { skip }, async () => {
  const page = await open(`/devices/${device}/chat/${bob}`);
  await page.getByText('Connected and ready to send').waitFor();
  await page.clock.install();
  proxy.refuse();
  const line = page.locator('.state-line').first();
  await line.getByText('Unknown', { exact: true }).waitFor();
  assert.equal(await line.getByText('Connected and ready to send').count(), 0);
  await page.getByLabel('Message', { exact: true }).fill('Written meanwhile');
  await page.keyboard.press('Enter');
  const bubble = page.locator('.log').getByRole('listitem').filter({ hasText: 'Written meanwhile' });
  await eventually('it waits for the service', async () => {
    await page.clock.fastForward(5000);
    return bubble.getByText('Handset cannot be reached. This message is sent once it is back.').isVisible();
  });
  assert.equal(await bubble.getByRole('button', { name: 'Retry' }).count(), 0);
  assert.deepEqual(await violationsOn(page), []);
  proxy.restore();
  await eventually('it is sent by itself', async () => {
    await page.clock.fastForward(5000);
    return bubble.getByRole('img', { name: /Sent|Delivered/ }).isVisible();
  });
  await untilShown(installation, bob, 'Written meanwhile');
  const shown = (await installation.phones.messages(bob)).filter(({ text }) => text === 'Written meanwhile');
  assert.equal(shown.length, 1);
  await line.getByText('Connected and ready to send').waitFor();
  await page.context().close();
});

test('notices cover nothing to press, errors stay until dismissed, successes go with the page', { skip }, async () => {
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    const page = await open(`/devices/${device}/settings`, { viewport });
    await page.clock.install();
    const reject = page.getByRole('switch', { name: 'Reject calls' });
    await reject.click();
    const good = page.locator('.notice.good');
    await good.waitFor();
    const overlaps = async (notice: Locator): Promise<readonly string[]> => {
      const { x, y, width, height } = await boxOf(notice);
      return page.evaluate(
        `[...document.querySelectorAll('main button, main input, main select, main textarea, .composer *')].filter((one) => {
          const box = one.getBoundingClientRect();
          return box.width > 0 && one.checkVisibility() && box.right > ${x} && box.left < ${x + width} && box.bottom > ${y} && box.top < ${y + height};
        }).map((one) => one.outerHTML.slice(0, 200))`,
      );
    };
    await page.evaluate('scrollTo(0, 0)');
    assert.deepEqual(await overlaps(good), []);
    await page.evaluate(`location.hash = '/devices/${device}/chat/${bob}'`);
    await good.waitFor({ state: 'detached', timeout: 2000 });
    await page.getByLabel('Message', { exact: true }).waitFor();
    await page.route('**/settings', (route) =>
      route.request().method() === 'GET'
        ? route.continue()
        : route.fulfill({ status: 500, json: { status: { code: 500, message: 'It is broken' } } }),
    );
    await page.evaluate(`location.hash = '/devices/${device}/settings'`);
    await reject.click();
    const bad = page.getByRole('alert').filter({ hasText: 'It is broken' });
    await bad.waitFor();
    await page.clock.fastForward(60_000);
    await bad.getByRole('button', { name: 'Close' }).click();
    await bad.waitFor({ state: 'detached' });
    await page.context().close();
  }
});

test('on a phone an open conversation fills the screen, with the field to write on it', { skip }, async () => {
  const page = await open(`/devices/${device}/chat/${bob}`, { viewport: { width: 390, height: 844 } });
  const field = page.getByLabel('Message', { exact: true });
  await field.waitFor();
  const { y, height } = await boxOf(field);
  assert.ok(y + height <= 844, `the field ends at ${y + height}`);
  const send = await boxOf(page.locator('.composer').getByRole('button', { name: 'Send', exact: true }));
  assert.ok(send.y + send.height <= 844);
  assert.equal((await boxOf(page.locator('.chat'))).height, 844);
  assert.deepEqual(await violationsOn(page), []);
  await page.locator('.conversation-head').getByRole('button', { name: 'Conversations' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await chatsIn(page).first().waitFor();
  await page.context().close();
});

test('the sandbox phone shows edits, and offers what the device waits for', { skip }, async () => {
  const page = await open(`/devices/${device}/chat/${bob}`);
  const phone = page.getByRole('complementary', { name: 'Sandbox phone' });
  const sent = await installation.api.post(`/devices/${device}/messages/text`, { toNumber: bob, message: 'At nin' });
  await phone.getByText('At nin', { exact: true }).waitFor();
  await installation.api.put(`/devices/${device}/messages/${sent.body.messageId}`, { message: 'At nine' });
  await phone.getByText('At nine', { exact: true }).waitFor();
  const created = await installation.api.post('/devices', { name: 'By code', phoneNumber: carol });
  const { id } = created.body.device;
  await page.evaluate(`location.hash = '/devices/${id}'`);
  // A page that is loaded later has missed the event with the code.
  await page.reload();
  await phone.getByRole('button', { name: 'Enter the code' }).waitFor();
  assert.equal(await phone.getByRole('button', { name: 'Scan the QR code' }).count(), 0);
  await phone.getByRole('button', { name: 'Enter the code' }).click();
  await page.getByText('Connected and ready to send').waitFor();
  await page.context().close();
});

test('history is announced from the link on, counted, and has an end', { skip }, async () => {
  const page = await open('/devices');
  const created = await installation.api.post('/devices', { name: 'With history' });
  const { id, qr } = created.body.device;
  await installation.api.put(`/devices/${id}/settings`, { history: 'full' });
  await page.evaluate(`location.hash = '/devices/${id}'`);
  await page.getByAltText('QR code to scan with your phone').waitFor();
  await page.clock.install();
  await page.evaluate(`{
    window.said = [];
    const note = () => said.push(...[...document.querySelectorAll('.state-line')].map((line) => line.textContent));
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
  }`);
  await installation.phones.scan(ada, qr);
  await eventually('the end is told', async () => {
    await page.clock.fastForward(5000);
    return page.getByText(/^\d+ messages? loaded from your phone\.$/).isVisible();
  });
  const said = await page.evaluate<string[]>('said');
  // The first part may come before the page has drawn the link.
  assert.match(
    said.find((text) => text.includes('from your phone')) ?? '',
    /^Loading messages from your phone(?:: \d+ so far)?…$/,
  );
  assert.ok(said.some((text) => /^Loading messages from your phone: \d+ so far…$/.test(text)));
  await page.context().close();
});

test('a new device loads the history that was chosen, which is set before its QR is shown', { skip }, async () => {
  const page = await open('/devices/new');
  await page.getByLabel('Messages to load from the phone').selectOption('Everything that the phone sends');
  await page.getByRole('button', { name: 'Create device' }).click();
  await page.getByAltText('QR code to scan with your phone').waitFor();
  const id = /devices\/(\d+)/.exec(page.url())?.[1];
  assert.equal((await installation.api.get(`/devices/${id}/settings`)).body.settings.history, 'full');
  await page.context().close();
});
