/** A help desk in small: unread counts, search, read marks, typing, the card of a person, and history on scrolling up. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { ada, addPhones, bob, linkDevice } from '../flows/steps.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import { launch, openPage, skip, violationsOn } from './browser.ts';
import { signIn } from './scenes.ts';

const eve = '4915550005555';

let installation: Installation;
let browser: Browser;
let page: Page;
let complaints: string[];
let device: number;
/** The one message of Eve. */
let question: string;

before(async () => {
  if (skip !== false) return;
  [installation, browser] = await Promise.all([startInstallation(), launch()]);
  await addPhones(installation);
  await installation.phones.add(eve, 'Eve');
  device = await linkDevice(installation);
  [question] = (await installation.phones.write(eve, { to: ada, text: 'Are you open today?' })) as [string];
  await installation.phones.write(bob, { to: ada, text: 'Number {n}', count: 120 });
  await eventually('all are there', async () => {
    const { chats } = (await installation.api.get(`/devices/${device}/chats`)).body;
    return chats.length === 2 && chats[0].unread === 120;
  });
  ({ page, complaints } = await openPage(browser, installation.handset.url, {
    viewport: { width: 1440, height: 900 },
  }));
  await signIn(page);
  await page.evaluate(`location.hash = '/devices/${device}'`);
});

after(async () => {
  await browser?.close();
  await installation?.[Symbol.asyncDispose]();
});

const log = (): Locator => page.getByRole('log', { name: 'Messages in this conversation' });
const chat = (name: string): Locator => page.getByRole('list', { name: 'Conversations' }).getByRole('button', { name });
const unreadOf = async (name: string): Promise<number> =>
  (await installation.api.get(`/devices/${device}/chats?q=${name}`)).body.chats[0].unread;

test('the open chat is marked as read once somebody is there, others say how many are unread', { skip }, async () => {
  await log().getByText('Number 120', { exact: true }).waitFor();
  await chat('Bob').getByText('120 unread').waitFor();
  await log().hover();
  assert.equal(await unreadOf('Bob'), 120);
  await page.mouse.wheel(0, -1);
  await eventually('Bob is read', async () => (await unreadOf('Bob')) === 0);
  await chat('Eve').getByText('1 unread').waitFor();
  assert.equal(await unreadOf('Eve'), 1);
  await chat('Bob').getByText('unread').waitFor({ state: 'detached' });
  await chat('Eve').click();
  await log().getByText('Are you open today?').waitFor();
  await chat('Eve').getByText('1 unread').waitFor({ state: 'detached' });
  await eventually('Eve sees it', async () =>
    (await installation.phones.messages(eve)).some(({ id, state }) => id === question && state === 'read'),
  );
});

test('what arrives in an open chat is marked as read a moment later', { skip }, async () => {
  await installation.phones.write(eve, { to: ada, text: 'Hello?' });
  await log().getByText('Hello?').waitFor();
  await eventually('it is read', async () => (await unreadOf('Eve')) === 0);
  await chat('Eve').getByText('unread').waitFor({ state: 'detached' });
});

test('older messages come on scrolling up, and what is read stays in its place', { skip }, async () => {
  await chat('Bob').click();
  await log().getByText('Number 120', { exact: true }).waitFor();
  assert.equal(await log().getByText('Number 60', { exact: true }).count(), 0);
  await log().hover();
  const top = '(document.querySelector(".log").getBoundingClientRect().top)';
  const place = `document.querySelector('.log [data-id]').getBoundingClientRect().top - ${top}`;
  await page.evaluate('document.querySelector(".log").scrollTop = 150');
  await log().getByText('Number 60', { exact: true }).waitFor({ state: 'attached' });
  // The first message of the page before is still where it was, not at the end.
  assert.ok((await page.evaluate<number>(place)) < 0, 'the oldest one is above');
  assert.ok(
    await page.evaluate<boolean>(
      '(({ scrollTop, scrollHeight, clientHeight }) => scrollHeight - scrollTop - clientHeight > 500)(document.querySelector(".log"))',
    ),
  );
  await eventually('the first one is there', async () => {
    await page.evaluate('document.querySelector(".log").scrollTop = 10');
    return (await log().getByText('Number 1', { exact: true }).count()) === 1;
  });
  assert.equal(await page.getByRole('button', { name: 'Load older messages' }).count(), 0);
});

test('a search finds chats by name or number, and the open one stays', { skip }, async () => {
  const search = page.getByRole('searchbox', { name: 'Search chats' });
  await search.fill('eve');
  await chat('Bob').waitFor({ state: 'detached' });
  await chat('Eve').waitFor();
  await page.getByRole('heading', { name: 'Bob', level: 2 }).waitFor();
  await search.fill('nobody');
  await page.getByText('No matching chats').waitFor();
  assert.deepEqual(await violationsOn(page), []);
  await search.fill('');
  await chat('Bob').waitFor();
});

test('the card of a person follows their presence, and the head shows that they are typing', { skip }, async () => {
  assert.equal((await installation.api.put(`/devices/${device}/settings`, { online: true })).status, 200);
  await chat('Eve').click();
  await page.getByRole('button', { name: 'Contact card of Eve' }).click();
  const card = page.getByRole('dialog', { name: 'Eve' });
  await card.getByText(`+${eve}`).waitFor();
  assert.deepEqual(await violationsOn(page), []);
  await card.getByRole('switch', { name: 'Show when they are online or typing' }).click();
  await card.getByRole('switch', { checked: true }).waitFor();
  await page.keyboard.press('Escape');
  const request = (method: string, what: string, body: object): Promise<unknown> =>
    installation.phones.request(method, `/phones/${eve}/${what}`, body);
  await request('PUT', 'presence', { available: true });
  await eventually('the head says so', async () => {
    await request('POST', 'typing', { to: ada, state: 'text' });
    return page.locator('.conversation-head').getByText('typing…').isVisible();
  });
  await request('POST', 'typing', { to: ada, state: 'none' });
  await page.locator('.conversation-head').getByText('typing…').waitFor({ state: 'detached' });
});

test('a message is starred, and deleted on this account only', { skip }, async () => {
  const bubble = page.locator(`.log [data-id="${question}"]`);
  const act = async (name: string): Promise<void> => {
    await bubble.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };
  await act('Star');
  await bubble.getByText('Starred').waitFor();
  await act('Remove star');
  await bubble.getByText('Starred').waitFor({ state: 'detached' });
  await act('Delete for me');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete for me' }).click();
  await bubble.getByText('This message was deleted.').waitFor();
  const { message } = (await installation.api.get(`/devices/${device}/messages/${question}`)).body;
  assert.notEqual(message.deletedAt, null);
  assert.deepEqual(complaints, []);
});
