/** Each kind of message in the dashboard: shown as what it is, kept current by events, and harmless whatever its sender has written. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { ada, addPhones, bob, linkDevice, untilChat } from '../flows/steps.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import { launch, openPage, skip, violationsOn } from './browser.ts';
import { hostile, kinds } from './message-kinds.ts';
import { signIn } from './scenes.ts';

let installation: Installation;
let browser: Browser;
let device: number;
let page: Page;
let complaints: string[];
/** Ids of the messages of all kinds, by their names. */
const ids = new Map<string, string>();

const write = async (body: Readonly<Record<string, unknown>>): Promise<string> => {
  const [id] = await installation.phones.write(bob, { to: ada, ...body });
  return id!;
};
/** Bob changes or answers a message. */
const act = (id: string, what: string, body: object = {}): Promise<unknown> =>
  installation.phones.request('POST', `/phones/${bob}/messages/${id}/${what}`, body);

before(async () => {
  if (skip !== false) return;
  [installation, browser] = await Promise.all([startInstallation(), launch()]);
  await addPhones(installation);
  device = await linkDevice(installation);
  for (const { name, body } of [...kinds, ...hostile]) ids.set(name, await write(body));
  ({ page, complaints } = await openPage(browser, installation.handset.url, {
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
  }));
  await page.evaluate(
    'window.typesOfFiles = []; const make = URL.createObjectURL; URL.createObjectURL = (file) => { window.typesOfFiles.push(file.type); return make(file); }',
  );
  await signIn(page);
  await untilChat(installation, device, bob);
  await page.evaluate(`location.hash = '/devices/${device}/chat/${bob}'`);
});

after(async () => {
  await browser?.close();
  await installation?.[Symbol.asyncDispose]();
});

const bubble = (id: string): Locator => page.locator(`.log [data-id="${id}"]`);
const named = (name: string): Locator => bubble(ids.get(name)!);
/** Waits until an expression about `bubble`, the element of a message, is true. */
const holds = (id: string, expression: string): Promise<boolean> =>
  eventually(expression, () =>
    page.evaluate<boolean>(`((bubble) => ${expression})(document.querySelector('.log [data-id="${id}"]'))`),
  );
/** The only element with this text. */
const shows = (within: Locator, text: string | RegExp): Promise<void> =>
  within.getByText(text, { exact: true }).waitFor();

for (const { name, shows: wanted, links = {} } of [...kinds, ...hostile]) {
  test(`the dashboard shows ${name}`, { skip }, async () => {
    const within = named(name);
    for (const text of wanted) await shows(within, text);
    for (const [words, href] of Object.entries(links)) {
      assert.equal(await within.getByRole('link', { name: words, exact: true }).getAttribute('href'), href);
    }
    assert.equal(await within.getByRole('link').count(), Object.keys(links).length, 'no other links');
  });
}

test('the newest message stays in view while files and votes are loaded', { skip }, async () => {
  const id = await write({ poll: { question: 'Which colour?', options: ['Red', 'Blue'] } });
  await shows(bubble(id), 'No votes yet');
  await act(id, 'vote', { options: ['Red'] });
  await shows(bubble(id), 'Bob');
  await holds(id, 'bubble.getBoundingClientRect().bottom <= bubble.closest(".log").getBoundingClientRect().bottom');
});

test('pictures and small videos are shown once they come into view', { skip }, async () => {
  for (const [name, alt] of [
    ['an image', 'The parcel'],
    ['a sticker', 'Sticker from Bob'],
  ] as const) {
    await named(name).scrollIntoViewIfNeeded();
    await named(name).getByRole('img', { name: alt }).waitFor();
  }
  for (const name of ['a video', 'a GIF']) {
    await named(name).scrollIntoViewIfNeeded();
    await holds(ids.get(name)!, 'bubble.querySelector("video")?.videoWidth === 160');
  }
});

test('a voice message plays to its end', { skip }, async () => {
  const within = named('a voice message');
  await within.getByRole('button', { name: 'Play' }).click();
  await within.getByRole('button', { name: 'Pause' }).waitFor();
  await holds(ids.get('a voice message')!, 'bubble.querySelector("audio").currentTime > 0.2');
  await within.locator('rect.played').first().waitFor();
  await within.getByRole('slider', { name: 'Position' }).fill('9.8');
  await within.getByRole('button', { name: 'Play' }).waitFor();
  await holds(ids.get('a voice message')!, 'bubble.querySelector("audio").ended');
});

test('a document is downloaded under its name', { skip }, async () => {
  const begun = page.waitForEvent('download');
  await named('a document').getByRole('button', { name: 'Download' }).click();
  assert.equal((await begun).suggestedFilename(), 'Invoice 4711.pdf');
});

test('a file of another type than it says is offered for download, and could not run', { skip }, async () => {
  const within = named('a page as a video');
  await within.scrollIntoViewIfNeeded();
  await shows(within, /^Your browser cannot play this file\./);
  const types = await page.evaluate<string[]>('window.typesOfFiles');
  assert.ok(types.includes('application/octet-stream'));
  assert.ok(!types.some((type) => type.includes('html')));
  const begun = page.waitForEvent('download');
  await within.getByRole('button', { name: 'Download' }).click();
  await (await begun).delete();
});

test('all contacts are shown on request', { skip }, async () => {
  const within = named('several contacts');
  await within.getByRole('button', { name: 'Show all 4 contacts' }).click();
  await shows(within, 'Grace');
});

test('a quote names its author and leads to its message, and mentions have names', { skip }, async () => {
  const first = ids.get('a location')!;
  const id = await write({ text: `@${ada} see there`, mentions: [ada], quotedMessageId: first });
  const within = bubble(id);
  await within.getByText('@You').waitFor();
  await within.getByRole('button', { name: /^Bob\s?Warehouse/ }).click();
  await holds(first, 'document.activeElement === bubble');
  await holds(first, 'bubble.getBoundingClientRect().top > 0 && bubble.getBoundingClientRect().bottom < innerHeight');
});

test('edits, reactions and deletions appear by themselves', { skip }, async () => {
  const id = await write({ text: 'At noon' });
  const within = bubble(id);
  await shows(within, 'At noon');
  await act(id, 'edit', { text: 'At one' });
  await shows(within, 'At one');
  await shows(within, 'Edited');
  await act(id, 'react', { emoji: '👍' });
  const reactions = within.getByRole('list', { name: 'Reactions' });
  await reactions.getByText('👍').waitFor();
  await shows(reactions, 'Bob');
  await act(id, 'react', { emoji: '' });
  await reactions.waitFor({ state: 'detached' });
  await act(id, 'revoke');
  await shows(within, 'This message was deleted.');
});

test('votes, answers and pins appear by themselves', { skip }, async () => {
  const poll = named('a poll');
  await shows(poll, 'No votes yet');
  await act(ids.get('a poll')!, 'vote', { options: ['Monday', 'Friday'] });
  await shows(poll, '1 person has voted');
  assert.equal(await poll.getByText('1 vote', { exact: true }).count(), 2);
  assert.equal(await poll.getByText('Bob', { exact: true }).count(), 2);
  await act(ids.get('a poll')!, 'vote', { options: [] });
  await shows(poll, 'No votes yet');

  await act(ids.get('an event')!, 'respond', { answer: 'maybe' });
  await shows(named('an event'), 'Maybe: Bob');

  await act(ids.get('a location')!, 'pin', { pinned: true });
  await shows(named('a location'), 'Pinned');
  await act(ids.get('a location')!, 'pin', { pinned: false });
  await named('a location').getByText('Pinned').waitFor({ state: 'detached' });
});

test('a new timer of the chat is a line of its own', { skip }, async () => {
  const log = page.getByRole('log', { name: 'Messages in this conversation' });
  const id = await write({ text: 'From now on', expiresInSeconds: 604_800 });
  await shows(log, 'Messages disappear after 7 days.');
  await bubble(id).getByTitle('Disappears after 7 days').waitFor();
  await write({ text: 'And for good again' });
  await shows(log, 'Disappearing messages are off.');
  await installation.phones.request('PATCH', `/phones/${bob}/chats/${ada}`, { expiresInSeconds: 86_400 });
  await shows(log, 'Bob set messages to disappear after 1 day.');
});

test('the ticks of a message to a group tell who has read it', { skip }, async () => {
  const { api, phones } = installation;
  const body = { subject: 'Shift', owner: ada, participants: [bob] };
  const { jid } = await phones.request<{ jid: string }>('POST', '/groups', body);
  const sent = await api.post(`/devices/${device}/messages/text`, { to: jid, message: 'Who comes?' });
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  await page.getByRole('list', { name: 'Conversations' }).getByRole('button', { name: 'Who comes?' }).click();
  const ticks = bubble(sent.body.messageId).locator('.bubble-foot').getByRole('button');
  await ticks.click();
  const receipts = page.getByRole('dialog', { name: 'Receipts' });
  await receipts.getByRole('rowheader', { name: 'Bob' }).waitFor();
  assert.equal(await receipts.getByText('–').count(), 1);
  await phones.request('POST', `/phones/${bob}/messages/${sent.body.messageId}/read`, {});
  await receipts.getByText('–').waitFor({ state: 'detached' });
  assert.deepEqual(await violationsOn(page), []);
  await page.keyboard.press('Escape');
  await page.getByRole('list', { name: 'Conversations' }).getByRole('button', { name: 'Bob' }).click();
});

test('nothing of a message becomes markup, a script or a dangerous link', { skip }, async () => {
  assert.equal(await page.evaluate('window.hacked'), undefined);
  const strange =
    '.log :is(script, iframe, object, embed, style, form), .log a:not([href^="https://"]), .log [onerror]';
  assert.equal(await page.locator(strange).count(), 0);
  assert.equal(await page.locator('.log a:not([rel~="noopener"])').count(), 0);
});

test('the conversation is accessible in both themes, and no wider than a phone', { skip }, async () => {
  assert.deepEqual(await violationsOn(page), []);
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.deepEqual(await violationsOn(page, 'colours'), []);
  await page.setViewportSize({ width: 390, height: 844 });
  const outside = `[...document.querySelectorAll('.log .bubble')].flatMap((bubble) =>
    [...bubble.querySelectorAll(':not(.visually-hidden)')]
      .filter((part) => part.getBoundingClientRect().right > bubble.getBoundingClientRect().right)
      .map((part) => part.outerHTML.slice(0, 200)))`;
  assert.deepEqual(await page.evaluate(outside), []);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0);
  assert.deepEqual(complaints, []);
});
