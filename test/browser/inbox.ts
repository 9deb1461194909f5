/** A help desk in small: unread counts, search, read marks, typing, the card of a person, and history on scrolling up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { systemClock } from '../../src/clock.ts';
import { answerMs } from '../../src/whatsapp/chats/history/requests.ts';
import { bob, linkDevice } from '../flows/steps.ts';
import type { Installation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import { openPage, skip, violationsOn } from './browser.ts';
import { testLabels } from './pages/labels.ts';
import { picture, signIn } from './scenes.ts';

/** Her account is the one of the help desk. */
const ivy = '4915550007777';
const eve = '4915550005555';

let isOff = false;

/** While her phone is off, the minute for which it is waited for is over soon. */
export const clock = {
  now: () => systemClock.now(),
  after: (ms: number, run: () => void) =>
    systemClock.after(isOff && ms > answerMs - 1_000 && ms <= answerMs ? 300 : ms, run),
};

interface Rig {
  readonly installation: Installation;
  readonly browser: Browser;
}

let installation: Installation;
let page: Page;
let complaints: string[];
let device: number;
/** A message of Eve, who has written two. */
let question: string;

const desk = async ({ installation: given, browser }: Rig): Promise<void> => {
  installation = given;
  const { phones, api } = installation;
  await phones.add(ivy, 'Ivy');
  // Before the device was linked: only the phone has them.
  await phones.write(bob, { to: ivy, text: 'old {n}', count: 30 });
  await phones.write(eve, { to: ivy, text: 'long ago' });
  const pictureBase64 = picture().toString('base64');
  await phones.request('PATCH', `/phones/${eve}/profile`, { about: 'In the garden', pictureBase64 });
  device = await linkDevice(installation, ivy);
  [question] = (await phones.write(eve, { to: ivy, text: 'Are you open today?' })) as [string];
  await phones.write(bob, { to: ivy, text: 'Number {n}', count: 120 });
  await eventually('all are there', async () => {
    const { messages } = (await api.get(`/devices/${device}/messages?limit=1000`)).body;
    return messages.length === 121;
  });
  ({ page, complaints } = await openPage(browser, installation.handset.url, {
    viewport: { width: 1440, height: 900 },
  }));
  await signIn(page);
};

const log = (): Locator => page.getByRole('log', { name: 'Messages in this conversation' });
const chat = (name: string): Locator => page.getByRole('list', { name: 'Conversations' }).getByRole('button', { name });
const unreadOf = async (name: string): Promise<number> =>
  (await installation.api.get(`/devices/${device}/chats?q=${name}`)).body.chats[0].unread;

const path = (text: string): string => `#/devices/${device}${text}`;
const toTop = (): Promise<unknown> => page.evaluate('document.querySelector(".log").scrollTop = 10');
const head = (): Locator => page.locator('.conversation-head');

/** On the service of another test file, with an account of its own. */
export const testInbox = (rig: () => Rig): void => {
  test('no chat is open before one is chosen', { skip }, async () => {
    await desk(rig());
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.evaluate(`location.hash = '${path('')}'`);
    await page.getByText('No conversation is open').waitFor();
    const unread = await unreadOf('Bob');
    await chat('Bob').getByText(`${unread} unread`).waitFor();
    assert.deepEqual(await violationsOn(page), []);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByText('No conversation is open').waitFor({ state: 'hidden' });
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0);
    await chat('Eve').click();
    await log().getByText('Are you open today?').waitFor();
    assert.equal(await chat('Bob').isVisible(), false, 'on a phone it is one or the other');
    await page.getByRole('button', { name: 'Conversations' }).click();
    await chat('Bob').waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
    assert.equal(await unreadOf('Bob'), unread);
    assert.equal(asked.filter((url) => url.includes('/v1/') && url.includes(bob)).length, 0);
    await page.reload();
  });

  test('the open chat is marked as read once somebody is there, others say how many are unread', { skip }, async () => {
    await installation.phones.write(eve, { to: ivy, text: 'Are you there?' });
    await page.evaluate(`location.hash = '${path(`/chat/${bob}`)}'`);
    await log().getByText('Number 120', { exact: true }).waitFor();
    await log().hover();
    assert.ok((await unreadOf('Bob')) >= 120);
    await page.mouse.wheel(0, -1);
    await eventually('Bob is read', async () => (await unreadOf('Bob')) === 0);
    await chat('Eve').getByText('1 unread').waitFor();
    assert.equal(await unreadOf('Eve'), 1);
    await chat('Bob').getByText('unread').waitFor({ state: 'detached' });
    await chat('Eve').click();
    await log().getByText('Are you there?').waitFor();
    await chat('Eve').getByText('1 unread').waitFor({ state: 'detached' });
    await eventually('Eve sees it', async () =>
      (await installation.phones.messages(eve)).some(({ id, state }) => id === question && state === 'read'),
    );
  });

  test('what arrives in an open chat is marked as read a moment later', { skip }, async () => {
    await installation.phones.write(eve, { to: ivy, text: 'Hello?' });
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
      await toTop();
      return (await log().getByText('Number 1', { exact: true }).count()) === 1;
    });
  });

  test('at the start of the log the phone is asked for more', { skip }, async () => {
    // The end is told before the page has loaded what came with it, which may be more than a page.
    await eventually('the phone has handed over what it has', async () => {
      await page.evaluate('document.querySelector(".log").scrollTop = 60');
      await toTop();
      const [end, buttons] = [log().getByText('Your phone has no older messages.'), page.getByRole('button')];
      const isEnd = (await end.count()) === 1 && (await buttons.filter({ hasText: /older messages/ }).count()) === 0;
      return isEnd && (await log().getByText('old 1', { exact: true }).count()) === 1;
    });
  });

  test('while the phone is off the page says so, and shows what comes later', { skip }, async () => {
    await installation.phones.behave(ivy, { online: false });
    isOff = true;
    await chat('Eve').click();
    await log().getByRole('button', { name: 'Load older messages from the phone' }).click();
    await log()
      .getByText(/^Your phone has not answered/)
      .waitFor();
    assert.deepEqual(await violationsOn(page), []);
    assert.equal(await log().getByText('long ago').count(), 0);
    isOff = false;
    await installation.phones.behave(ivy, { online: true });
    await log().getByText('long ago').waitFor();
  });

  test('a search finds chats by name or number, and the open one stays', { skip }, async () => {
    const search = page.getByRole('searchbox', { name: 'Search chats and messages' });
    await chat('Bob').click();
    await search.fill('eve');
    await chat('Bob').waitFor({ state: 'detached' });
    await chat('Eve').waitFor();
    await page.getByRole('heading', { name: 'Bob', level: 2 }).waitFor();
    await search.fill('nobody');
    await page.getByText('No matching chats').waitFor();
    await page.getByText('No matching messages').waitFor();
    await search.fill('number 40');
    const found = page.getByRole('list', { name: 'Messages', exact: true });
    await found.getByRole('button', { name: /^Bob/ }).waitFor();
    assert.deepEqual(await violationsOn(page), []);
    await chat('Bob').waitFor({ state: 'detached' });
    await page.reload();
    await search.fill('number 40');
    await found.getByRole('button', { name: /^Bob/ }).click();
    await eventually('the message is gone to', () =>
      page.evaluate<boolean>(
        `(({ textContent, dataset }) => dataset.id !== undefined && textContent.startsWith('Number 40'))(document.activeElement)`,
      ),
    );
    await log().getByText('Number 120', { exact: true }).waitFor({ state: 'attached' });
    await log().getByText('Number 39', { exact: true }).waitFor({ state: 'attached' });
    await search.fill('');
    await chat('Eve').waitFor();
  });

  test('a chat is pinned, muted, marked as unread and archived, on the phone too', { skip }, async () => {
    const choose = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'Actions for the chat with Eve' }).click();
      await page.getByRole('menuitem', { name, exact: true }).click();
    };
    const onPhone = (holds: (chat: Readonly<Record<string, unknown>>) => boolean): Promise<unknown> =>
      eventually('the phone shows it', async () =>
        holds(
          (await installation.phones.request<{ chat: Record<string, unknown> }>('GET', `/phones/${ivy}/chats/${eve}`))
            .chat,
        ),
      );
    await chat('Eve').click();
    await choose('Pin chat');
    await chat('Eve').getByText('Pinned').waitFor();
    assert.match((await page.getByRole('list', { name: 'Conversations' }).textContent()) ?? '', /^Eve/);
    await choose('Mute for 8 hours');
    await chat('Eve').getByText('Muted').waitFor();
    await choose('Unmute');
    await chat('Eve').getByText('Muted').waitFor({ state: 'detached' });
    await choose('Mark as unread');
    await page.getByText('No conversation is open').waitFor();
    await chat('Eve').getByText('1 unread').waitFor();
    await onPhone(({ pinned, markedUnread }) => pinned === true && markedUnread === true);
    await chat('Eve').click();
    await choose('Archive');
    await chat('Eve').waitFor({ state: 'detached' });
    await onPhone(({ archived }) => archived === true);
    await page.getByRole('button', { name: 'Archived (1)' }).click();
    await chat('Eve').waitFor();
    await choose('Unarchive');
    await chat('Bob').waitFor();
    await installation.phones.request('PATCH', `/phones/${ivy}/chats/${eve}`, { pinned: false });
    await chat('Eve').getByText('Pinned').waitFor({ state: 'detached' });
    await installation.phones.request('PUT', `/phones/${ivy}/contacts/${bob}`, { name: 'Robert' });
    await chat('Robert').waitFor();
    await installation.phones.request('PUT', `/phones/${ivy}/contacts/${bob}`, { name: null });
    await chat('Bob').waitFor();
  });

  test('the card of a person follows their presence, and the head shows that they are typing', { skip }, async () => {
    assert.equal((await installation.api.put(`/devices/${device}/settings`, { online: true })).status, 200);
    await chat('Eve').click();
    await page.getByRole('button', { name: 'Contact card of Eve' }).click();
    const card = page.getByRole('dialog', { name: 'Eve' });
    await card.getByText('+49 15550 005555').waitFor();
    await card.getByText('In the garden').waitFor();
    await card.getByRole('img', { name: 'Profile picture of Eve' }).waitFor();
    assert.deepEqual(await violationsOn(page), []);
    await card.getByRole('switch', { name: 'Show when they are online or typing' }).click();
    await card.getByRole('switch', { checked: true }).waitFor();
    await card.getByLabel('Disappearing messages').selectOption('1 day');
    await card.getByRole('button', { name: 'Block' }).click();
    await card.getByRole('button', { name: 'Unblock' }).click();
    await card.getByRole('button', { name: 'Block', exact: true }).waitFor();
    await eventually(
      'the timer is set',
      async () => (await installation.api.get(`/devices/${device}/chats/${eve}`)).body.chat.expiresInSeconds === 86_400,
    );
    await page.keyboard.press('Escape');
    const request = (method: string, what: string, body: object): Promise<unknown> =>
      installation.phones.request(method, `/phones/${eve}/${what}`, body);
    await request('PUT', 'presence', { available: true });
    await eventually('the head says so', async () => {
      await request('POST', 'typing', { to: ivy, state: 'text' });
      return head().getByText('typing…').isVisible();
    });
    await request('POST', 'typing', { to: ivy, state: 'none' });
    await head().getByText('typing…').waitFor({ state: 'detached' });
  });

  testLabels(() => ({ installation, page, account: ivy, eve, bob, question }));

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
};
