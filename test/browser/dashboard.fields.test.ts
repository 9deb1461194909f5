/** What the service refuses is said at the field that is meant, in the reader's language. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { english } from '../../dashboard/src/texts/en/index.ts';
import { spanish } from '../../dashboard/src/texts/es/index.ts';
import { portuguese } from '../../dashboard/src/texts/pt-BR/index.ts';
import type { Texts } from '../../dashboard/src/texts/translated.ts';
import { bob } from '../flows/steps.ts';
import { sized } from '../system/support/length.ts';
import { launch, openPage, skip, violationsOn } from './browser.ts';
import { setStage, signIn, signInAsOperator, type Stage } from './scenes.ts';

const nobody = '4915550009876';

let stage: Stage;
let browser: Browser;

before(async () => {
  if (skip !== false) return;
  [stage, browser] = await Promise.all([setStage({ inOrder: false }), launch()]);
});

after(async () => {
  await browser?.close();
  await stage?.[Symbol.asyncDispose]();
});

const signedIn = async (words: Texts = english, options: BrowserContextOptions = {}): Promise<Page> => {
  const { page } = await openPage(browser, stage.url, options);
  await signIn(page, undefined, words);
  return page;
};

const goTo = (page: Page, hash: string): Promise<unknown> => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

/** The field is marked as wrong, and names the text that says why. */
const says = async (page: Page, field: Locator, text: string, described = field): Promise<void> => {
  await page.getByRole('alert').filter({ hasText: text }).first().waitFor();
  assert.equal(await field.getAttribute('aria-invalid'), 'true', text);
  const ids = ((await described.getAttribute('aria-describedby')) ?? '').split(' ');
  const texts = await Promise.all(ids.map((id) => page.locator(`[id="${id}"]`).textContent()));
  assert.ok(texts.includes(text), `${text}: ${texts.join(' | ')}`);
};

const noneWrong = async (page: Page): Promise<void> =>
  assert.equal(await page.locator('[aria-invalid="true"]').count(), 0);

const label = (page: Page, name: string): Locator => page.getByLabel(name, { exact: true }).last();

const languages: readonly (readonly [string, Texts])[] = [
  ['en-GB', english],
  ['es-MX', spanish],
  ['pt-BR', portuguese],
];

for (const [locale, words] of languages.slice(0, sized(1, languages.length))) {
  test(`${locale}: the fields of webhooks, keys, devices and opt-outs say what they take`, { skip }, async () => {
    const page = await signedIn(words, { locale });
    const { rules, refusals } = words;

    await goTo(page, '/webhooks');
    await page.getByRole('button', { name: words.webhooks.create }).first().click();
    const url = page.getByRole('dialog').getByLabel(words.webhook.url, { exact: true });
    await url.fill('nowhere');
    const save = page.getByRole('dialog').getByRole('button', { name: words.save });
    await save.click();
    await says(page, url, rules.url);
    await url.fill('https://example.com/hook');
    const headers = page.getByRole('dialog').getByLabel(words.webhooks.headers, { exact: true });
    await headers.fill('Content-Type: text/plain');
    await save.click();
    await says(page, headers, rules.headers);
    assert.equal(await url.getAttribute('aria-invalid'), 'false');
    await headers.fill('');
    await page.getByRole('dialog').getByText(words.webhooks.chats.only, { exact: true }).click();
    const chats = page.getByRole('dialog').getByLabel(words.webhooks.chats.list, { exact: true });
    await chats.fill('typo');
    await save.click();
    await says(page, chats, rules.chats);
    await chats.fill(bob);
    await page.getByRole('dialog').getByRole('button', { name: words.webhook.noneOf, exact: true }).click();
    await save.click();
    const kinds = page.getByRole('group', { name: words.webhook.events, exact: true });
    await says(page, kinds.getByLabel('message.received', { exact: true }), rules.events, kinds);
    assert.deepEqual(await violationsOn(page), []);
    await page.keyboard.press('Escape');

    await goTo(page, '/keys');
    await page.getByRole('button', { name: words.keys.create }).click();
    const name = page.getByRole('dialog').getByLabel(words.keys.name, { exact: true });
    await page.getByRole('dialog').getByRole('button', { name: words.keys.submit }).click();
    await says(page, name, rules.name);
    await name.fill('Billing');
    const expires = page.getByRole('dialog').getByLabel(words.keys.expires, { exact: true });
    await expires.fill('2020-01-01T00:00');
    await page.getByRole('dialog').getByRole('button', { name: words.keys.submit }).click();
    await says(page, expires, rules.expiresAt);
    await page.keyboard.press('Escape');

    await goTo(page, '/suppressions');
    const number = page.getByLabel(words.suppressions.number, { exact: true });
    await number.fill('12');
    await page.getByRole('button', { name: words.suppressions.add }).click();
    await says(page, number, words.suppressions.wrongNumber);

    await goTo(page, '/devices/new');
    await page.getByText(words.create.byCode, { exact: true }).click();
    const phone = page.getByLabel(words.create.number, { exact: true });
    await phone.fill('12');
    await page.getByRole('button', { name: words.create.submit }).click();
    await says(page, phone, rules.phoneNumber);
    await phone.fill(nobody);
    await page.getByRole('button', { name: words.create.submit }).click();
    await says(page, phone, refusals.number_not_on_network);
    await page.context().close();
  });

  test(`${locale}: the settings of a device say what they take`, { skip }, async () => {
    const page = await signedIn(words, { locale });
    await goTo(page, `/devices/${stage.device}/settings`);
    const wrong = async (field: string, text: string, rule: string, button = words.saveOf(field)): Promise<void> => {
      await label(page, field).fill(text);
      await page.getByRole('button', { name: button, exact: true }).click();
      await says(page, label(page, field), rule);
    };
    await wrong(words.proxy.url, 'ftp://example.com', words.rules.proxy);
    await wrong(words.limits.ceiling, '-1', words.rules.newChatsPerDay);
    await wrong(words.limits.stopWords, 'x'.repeat(101), words.rules.stopWords);
    await label(page, words.device.name).fill('');
    await page
      .locator('form', { has: label(page, words.device.name) })
      .getByRole('button')
      .click();
    await says(page, label(page, words.device.name), words.rules.name);
    assert.deepEqual(await violationsOn(page), []);
    await goTo(page, `/devices/${stage.device}/webhook`);
    await label(page, words.webhook.url).fill('nowhere');
    await page
      .locator('form', { has: label(page, words.webhook.url) })
      .getByRole('button', { name: words.save })
      .click();
    await says(page, label(page, words.webhook.url), words.rules.webhookUrl);
    await page.context().close();
  });

  test(`${locale}: a refused message comes back into the form, with its error at the field`, { skip }, async () => {
    const page = await signedIn(words, { locale });
    await goTo(page, `/devices/${stage.device}/chat/new`);
    const to = page.getByLabel(words.compose.to, { exact: true }).first();
    const message = label(page, words.compose.message);
    const text = `${words.compose.message} ${locale}`;
    await message.fill(text);
    await page.keyboard.press('Enter');
    await says(page, to, words.compose.needsTo);
    // Without an answer to the question whether there is such a number, sending finds out.
    await page.route('**/contacts/lookup?*', (route) => route.abort(), { times: 1 });
    await to.fill(nobody);
    await message.press('Enter');
    const correct = page.getByRole('button', { name: words.outbox.correct, exact: true });
    await correct.click();
    await says(page, to, words.refusals.number_not_on_network);
    assert.deepEqual([await to.inputValue(), await message.inputValue()], [nobody, text]);
    assert.equal(await correct.count(), 0);
    assert.deepEqual(await violationsOn(page), []);
    await to.fill(bob);
    await message.press('Enter');
    await page.locator('.bubble.out[data-id]').getByText(text).waitFor();
    await noneWrong(page);
    await page.context().close();
  });
}

test('a file that is refused comes back with its error', { skip }, async () => {
  const page = await signedIn();
  await goTo(page, `/devices/${stage.device}/chat/${bob}`);
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no picture') });
  await label(page, 'Message').fill('Look');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Correct', exact: true }).click();
  const files = page.getByRole('list', { name: 'Attached files' });
  await files.getByText('broken.png').waitFor();
  const id = await files.getAttribute('aria-describedby');
  assert.equal(await page.locator(`[id="${id}"]`).textContent(), english.refusals.invalid_media);
  assert.equal(await label(page, 'Message').inputValue(), 'Look');
  await files.getByRole('button', { name: 'Remove broken.png' }).click();
  await label(page, 'Message').press('Enter');
  await page.locator('.bubble.out[data-id]').getByText('Look', { exact: true }).waitFor();
  await page.context().close();
});

test('a poll and a group say what is wrong at their fields', { skip }, async () => {
  const page = await signedIn();
  await goTo(page, `/devices/${stage.device}/chat/${bob}`);
  await page.getByRole('button', { name: 'Attach' }).click();
  await page.getByRole('menuitem', { name: 'Poll' }).click();
  const poll = page.getByRole('dialog');
  await poll.getByRole('button', { name: 'Send' }).click();
  await says(page, poll.getByLabel('Question', { exact: true }), english.compose.poll.needsQuestion);
  await poll.getByLabel('Question', { exact: true }).fill('When?');
  await poll.getByRole('button', { name: 'Send' }).click();
  await says(page, poll.getByLabel('Option 1', { exact: true }), english.compose.poll.needsOptions);
  assert.deepEqual(await violationsOn(page), []);
  await page.keyboard.press('Escape');
  const { body } = await stage.installation.api.post(`/devices/${stage.device}/groups`, {
    subject: 'Bakers',
    members: [bob],
  });
  await goTo(page, `/devices/${stage.device}/chat/${body.group.jid}`);
  await page.getByRole('button', { name: /^Details of the group/ }).click();
  const card = page.getByRole('dialog');
  await card.getByText(english.groups.part.settings, { exact: true }).click();
  await card.getByLabel(english.groups.subject, { exact: true }).fill(' ');
  await card.getByRole('button', { name: 'Save', exact: true }).click();
  await says(page, card.getByLabel(english.groups.subject, { exact: true }), english.rules.subject);
  await page.context().close();
});

test('a user of the operator says what its fields take', { skip }, async () => {
  const { page } = await openPage(browser, stage.url);
  await signInAsOperator(page);
  await page.getByRole('button', { name: english.operator.create }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: english.operator.submit }).click();
  await says(page, dialog.getByLabel(english.operator.name, { exact: true }), english.rules.name);
  await dialog.getByLabel(english.operator.name, { exact: true }).fill('Bakery 2');
  await dialog.getByLabel(english.operator.limit, { exact: true }).fill('-1');
  await dialog.getByRole('button', { name: english.operator.submit }).click();
  await says(page, dialog.getByLabel(english.operator.limit, { exact: true }), english.rules.deviceLimit);
  await page.context().close();
});

test('a long text is seen whole while it is written, on a phone, too', { skip }, async () => {
  const page = await signedIn(english, { viewport: { width: 390, height: 844 } });
  await goTo(page, `/devices/${stage.device}/chat/${bob}`);
  const field = page.getByPlaceholder('Message', { exact: true });
  await field.fill('It left our house at eight, and should be with you at noon, or a little later.');
  const hidden = await field.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
  assert.ok(hidden <= 0, `${hidden} px of the text are hidden`);
  const send = page.getByRole('button', { name: 'Send', exact: true });
  await send.click({ trial: true });
  await page.context().close();
});
