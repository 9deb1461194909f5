/** Actions on messages in the dashboard: answer, react, edit, forward, pin and delete, with the keyboard alone, and what else can be sent; and the inbox. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { ada, addPhones, bob, linkDevice, untilChat, untilShown } from '../flows/steps.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import type { PhoneMessage } from '../support/phones.ts';
import { eventually } from '../support/wait.ts';
import { launch, openPage, skip, violationsOn, withoutSnapshot } from './browser.ts';
import { testGroups } from './groups.ts';
import { clock, testInbox } from './inbox.ts';
import { picture, signIn } from './scenes.ts';

const eve = '4915550005555';

let installation: Installation;
let browser: Browser;
let page: Page;
let complaints: string[];

before(async () => {
  if (skip !== false) return;
  [installation, browser] = await Promise.all([
    // What the page records must be good as it is.
    startInstallation({ HANDSET_FFMPEG: 'none' }, undefined, clock),
    launch(),
  ]);
  await addPhones(installation);
  await installation.phones.add(eve, 'Eve');
  const device = await linkDevice(installation);
  await installation.phones.write(bob, { to: ada, text: 'Is it on its way?' });
  ({ page, complaints } = await openPage(browser, installation.handset.url, {
    viewport: { width: 1440, height: 900 },
  }));
  await signIn(page);
  await untilChat(installation, device, bob);
  await page.evaluate(`location.hash = '/devices/${device}/chat/${bob}'`);
  await bubble('Is it on its way?').waitFor();
});

after(async () => {
  await browser?.close();
  await installation?.[Symbol.asyncDispose]();
});

const fileNamed = (name: string): Promise<Buffer> => readFile(join(import.meta.dirname, 'files', name));

const log = (): Locator => page.getByRole('log', { name: 'Messages in this conversation' });
const bubble = (text: string): Locator => log().getByRole('listitem').filter({ hasText: text }).first();
const field = (): Locator => page.getByLabel('Message', { exact: true });
const write = async (text: string): Promise<void> => {
  await field().fill(text);
  await page.keyboard.press('Enter');
};
const arrived = async (text: string): Promise<void> => {
  await bubble(text).getByRole('img', { name: 'Delivered' }).waitFor();
};
/** Opens the menu of a message with the keyboard. */
const openMenu = async (text: string): Promise<Locator> => {
  await bubble(text)
    .getByRole('button', { name: /^Actions for/ })
    .focus();
  await page.keyboard.press('Enter');
  const menu = page.getByRole('menu');
  await menu.waitFor();
  return menu;
};
/** Chooses an item by arrow keys. */
const choose = async (text: string, item: string): Promise<void> => {
  await openMenu(text);
  await eventually(`${item} has the focus`, async () => {
    await page.keyboard.press('ArrowDown');
    return page.evaluate<boolean>(
      `[document.activeElement.textContent, document.activeElement.ariaLabel].includes(${JSON.stringify(item)})`,
    );
  });
  await page.keyboard.press('Enter');
};
/** A message as phones show it, with its changes. */
interface Changed extends PhoneMessage {
  readonly quotedId: string | null;
  readonly edited: boolean;
  readonly reactions: readonly { readonly emoji: string }[];
}

const onPhone = (text: string, holds: (message: Changed) => boolean): Promise<boolean> =>
  eventually(`the phone shows ${text}`, async () =>
    (await installation.phones.messages(bob)).some((message) => message.text === text && holds(message as Changed)),
  );

test('an answer shows what it answers, and Escape leaves it', { skip }, async () => {
  await choose('Is it on its way?', 'Reply');
  await page.getByText('Reply to Bob').waitFor();
  assert.equal(await page.evaluate('document.activeElement.tagName'), 'TEXTAREA');
  await page.keyboard.press('Escape');
  await page.getByText('Reply to Bob').waitFor({ state: 'detached' });
  await choose('Is it on its way?', 'Reply');
  await write('Since this moring');
  await arrived('Since this moring');
  await bubble('Since this moring')
    .getByRole('button', { name: /^Bob\s?Is it on its way\?/ })
    .waitFor();
  await onPhone('Since this moring', ({ quotedId }) => quotedId !== null);
});

test('an own message is edited where it is', { skip }, async () => {
  await field().fill('A draft');
  await choose('Since this moring', 'Edit');
  await eventually('its text is there', async () => (await field().inputValue()) === 'Since this moring');
  await write('Since this morning');
  await bubble('Since this morning').getByText('Edited').waitFor();
  await onPhone('Since this morning', ({ edited }) => edited);
  await eventually('the draft is back', async () => (await field().inputValue()) === 'A draft');
  await field().fill('');
});

test('a reaction is set, replaced by any other emoji, and taken back', { skip }, async () => {
  const reactions = bubble('Is it on its way?').getByRole('list', { name: 'Reactions' });
  await choose('Is it on its way?', 'React with ❤️');
  await reactions.getByText('❤️').waitFor();
  const menu = await openMenu('Is it on its way?');
  await menu.getByRole('menuitemcheckbox', { name: 'React with ❤️', checked: true }).waitFor();
  await page.keyboard.press('Escape');
  await choose('Is it on its way?', 'Other emoji');
  await page.getByLabel('Emoji', { exact: true }).fill('🦊');
  assert.deepEqual(await violationsOn(page), []);
  await page.keyboard.press('Enter');
  await reactions.getByText('🦊').waitFor();
  await onPhone('Is it on its way?', ({ reactions: all }) => all.length === 1 && all[0]!.emoji === '🦊');
  await choose('Is it on its way?', 'Other emoji');
  await page.getByLabel('Emoji', { exact: true }).fill('no');
  await page.keyboard.press('Enter');
  await bubble('Is it on its way?').getByText('Enter exactly one emoji.').waitFor();
  await bubble('Is it on its way?').getByRole('button', { name: 'Close' }).click();
});

test('a message is pinned, forwarded and deleted for everyone', { skip }, async () => {
  await choose('Since this morning', 'Pin for everyone');
  await bubble('Since this morning').getByText('Pinned').waitFor();
  await choose('Since this morning', 'Unpin');
  await bubble('Since this morning').getByText('Pinned').waitFor({ state: 'detached' });

  await choose('Is it on its way?', 'Forward');
  await page.getByLabel('Another recipient').fill(eve);
  assert.deepEqual(await violationsOn(page), []);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: '+49 15550 005555', level: 2 }).waitFor();
  await arrived('Is it on its way?');
  await bubble('Is it on its way?').getByText('Forwarded').waitFor();
  await untilShown(installation, eve, 'Is it on its way?');

  await choose('Is it on its way?', 'Delete for everyone');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete for everyone' }).click();
  await bubble('This message was deleted.').waitFor();
  assert.equal(
    await log()
      .getByRole('button', { name: /^Actions for/ })
      .count(),
    0,
    'nothing is left to do',
  );
});

test('only what is possible is offered', { skip }, async () => {
  await page.getByRole('list', { name: 'Conversations' }).getByRole('button', { name: 'Bob' }).click();
  const menu = await openMenu('Is it on its way?');
  const names = await menu.locator(':scope > [role=menuitem]').allTextContents();
  assert.deepEqual(names, ['Reply', 'Copy text', 'Forward', 'Star', 'Label…', 'Pin for everyone', 'Delete for me']);
  assert.deepEqual(await violationsOn(page), []);
  await page.keyboard.press('Tab');
  await menu.waitFor({ state: 'detached' });
});

test('a location, a contact and a poll are sent from small dialogs, which say what is wrong', { skip }, async () => {
  const dialog = page.getByRole('dialog');
  const open = async (name: string): Promise<void> => {
    await page.getByRole('button', { name: 'Attach' }).click();
    await page.getByRole('menuitem', { name }).click();
    await dialog.getByRole('heading', { name }).waitFor();
  };
  const send = (): Promise<void> => dialog.getByRole('button', { name: 'Send' }).click();

  await open('Location');
  await dialog.getByLabel('Coordinates').fill('91, 13');
  await send();
  await dialog.getByText('Enter a latitude from -90 to 90 and a longitude from -180 to 180.').waitFor();
  assert.deepEqual(await violationsOn(page), []);
  await dialog.getByLabel('Coordinates').fill('52.5163, 13.3777');
  await dialog.getByLabel('Name (optional)').fill('Brandenburg Gate');
  await send();
  await arrived('52.51630, 13.37770');

  await open('Contact');
  await send();
  await dialog.getByText('Enter a name.').waitFor();
  await dialog.getByLabel('Name').fill('Carol');
  await dialog.getByLabel('Phone number').fill('+49 155 5000 7777');
  await send();
  await arrived('Carol');

  await open('Poll');
  await dialog.getByLabel('Question').fill('When?');
  await dialog.getByLabel('Option 1').fill('Monday');
  await send();
  await dialog.getByText('Enter at least two options.').waitFor();
  assert.deepEqual(await violationsOn(page), []);
  await dialog.getByLabel('Option 2').fill('Friday');
  await dialog.getByLabel('Option 3').waitFor();
  await send();
  await arrived('When?');
  const [place, card, poll] = (await installation.phones.messages(bob)).slice(-3);
  assert.deepEqual([place!.type, card!.type, poll!.type], ['location', 'contact', 'poll']);
  assert.deepEqual(
    complaints.filter((text) => !text.includes('400')),
    [],
  );
});

test('files are sent as what they are or as documents, and the first one gets the text', { skip }, async () => {
  const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Bring the papers') };
  const parcel = { name: 'parcel.png', mimeType: 'image/png', buffer: picture() };
  await page.locator('input[type=file]').setInputFiles([parcel, notes, { ...parcel, name: 'again.png' }]);
  await page.getByLabel('Send again.png as').selectOption('Document');
  assert.deepEqual(await violationsOn(page), []);
  await page.setViewportSize({ width: 390, height: 844 });
  const outside = `[...document.querySelectorAll('.composer :not(.visually-hidden)')]
    .filter((part) => part.getBoundingClientRect().right > document.querySelector('.composer').getBoundingClientRect().right)
    .map((part) => part.outerHTML.slice(0, 200))`;
  assert.deepEqual(await page.evaluate(outside), []);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('button', { name: 'Remove notes.txt' }).click();
  await page.locator('input[type=file]').setInputFiles([notes]);
  await write('All that we have');
  await arrived('All that we have');
  await arrived('again.png');
  await arrived('notes.txt');
  const shown = (await installation.phones.messages(bob)).slice(-3);
  assert.deepEqual(
    shown.map(({ type }) => type),
    ['image', 'document', 'document'],
  );
});

test('a voice message is recorded, listened to, and arrives as one', { skip }, async () => {
  const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
  await button('Record a voice message').click();
  await button('Cancel recording').click();
  await button('Record a voice message').click();
  await page.getByRole('timer').getByText('0:01').waitFor();
  assert.deepEqual(await violationsOn(page), []);
  await button('Finish recording').click();
  await page.getByLabel('Preview of Voice message.ogg').waitFor();
  assert.equal(await page.getByLabel('Send Voice message.ogg as').inputValue(), 'voice');
  await button('Send').first().click();
  await log().getByRole('group', { name: 'Voice message' }).waitFor();
  // The page shows it before it is sent.
  const voice = await eventually('it is on the phone', async () =>
    (await installation.phones.messages(bob)).find(({ type }) => type === 'audio'),
  );
  assert.partialDeepStrictEqual(voice, { type: 'audio', media: { voice: true, mimetype: 'audio/ogg; codecs=opus' } });
});

test('videos, audio files and stickers are sent as what they are', { skip }, async () => {
  const file = async (name: string, mimeType: string) => ({ name, mimeType, buffer: await fileNamed(name) });
  const smile = { name: 'smile.png', mimeType: 'image/png', buffer: picture() };
  await page
    .locator('input[type=file]')
    .setInputFiles([await file('clip.mp4', 'video/mp4'), await file('voice.ogg', 'audio/ogg'), smile]);
  await page.getByLabel('Send smile.png as').selectOption('Sticker');
  await write('See and hear');
  await arrived('See and hear');
  await log().getByRole('group', { name: 'Audio' }).waitFor();
  await log().getByRole('img', { name: 'Sticker from You' }).waitFor();
  await eventually('the phone has them', async () => {
    const shown = (await installation.phones.messages(bob)).slice(-3);
    return shown.map(({ type }) => type).join() === 'video,audio,sticker';
  });
});

test('a message that cannot be shown leaves the others as they are', { skip }, async () => {
  await withoutSnapshot(page);
  await page.route('**/v1/devices/*/messages?*', async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    // Of a service that tells polls in another way.
    body.messages.find(({ type }: { type: string }) => type === 'poll').poll = { question: 'When?' };
    await route.fulfill({ response, json: body });
  });
  await page.reload();
  await log().getByText('This message cannot be shown. Open it on your phone.').waitFor();
  await bubble('Since this morning').waitFor();
  await write('Still here');
  await arrived('Still here');
});

testInbox(() => ({ installation, browser }));
testGroups(() => ({ installation, browser }));
