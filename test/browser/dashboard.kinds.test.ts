/** Messages that are more than a text, as the dashboard shows them in words: without their content yet, and of every kind on the phone. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { ada, addPhones, bob, linkDevice, untilChat, untilOpen } from '../flows/steps.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { launch, openPage, skip } from './browser.ts';
import { signIn } from './scenes.ts';

let installation: Installation;
let browser: Browser;

before(async () => {
  if (skip !== false) return;
  [installation, browser] = await Promise.all([startInstallation({ HANDSET_SEARCH: 'off' }), launch()]);
  await addPhones(installation);
});

after(async () => {
  await browser?.close();
  await installation?.[Symbol.asyncDispose]();
});

test(
  'a message without its content is shown in words, and as itself once the phone hands it over',
  { skip },
  async () => {
    const { api, handset, phones } = installation;
    const device = await linkDevice(installation);
    const { page, complaints } = await openPage(browser, handset.url, { viewport: { width: 1440, height: 900 } });
    await signIn(page);
    await phones.behave(ada, { online: false });
    await phones.write(bob, { to: ada, text: 'a secret', withheld: 'viewOnce' });
    await phones.write(bob, { to: ada, text: 'I saw your advertisement', withheld: 'waiting' });
    await untilChat(installation, device, bob);
    await page.evaluate(`location.hash = '/devices/${device}/chat/${bob}'`);
    const log = page.getByRole('log', { name: 'Messages in this conversation' });
    await log.getByText('View-once message. Open it on your phone.').waitFor();
    const waiting = log.getByText('Waiting for this message. Handset has requested it from your phone.');
    await waiting.waitFor();

    await phones.behave(ada, { online: true });
    await api.post(`/devices/${device}/restart`, {});
    await untilOpen(installation, device);
    await log.getByText('I saw your advertisement').waitFor();
    await waiting.waitFor({ state: 'detached' });
    assert.equal(await log.getByRole('listitem').filter({ hasText: 'advertisement' }).count(), 1);
    assert.deepEqual(complaints, []);
    // Of this service the search is off, which people are told in words.
    await page.getByRole('searchbox', { name: 'Search chats and messages' }).fill('advertisement');
    await page.getByText(/^Message search is off\./).waitFor();
  },
);

test('the phone shows every kind of message in words', { skip }, async () => {
  const { handset, phones } = installation;
  const write = async (message: Record<string, unknown>) => (await phones.write(bob, { to: ada, ...message }))[0]!;
  const lunch = await write({ poll: { question: 'Lunch?', options: ['yes', 'no'] } });
  await phones.request('POST', `/phones/${bob}/messages/${lunch}/vote`, { options: ['yes'] });
  await write({ location: { latitude: 52.5, longitude: 13.4, name: 'Gate' }, forwarded: 127 });
  await write({ type: 'voice', audioBase64: 'AAAA', seconds: 3, quotedMessageId: lunch });
  await write({ contacts: [{ name: 'Carol', numbers: ['491510000003'] }] });
  await write({ callLog: { outcome: 'missed' } });
  const { page, complaints } = await openPage(browser, handset.url, { viewport: { width: 1440, height: 900 } });
  await signIn(page);
  const screen = page.getByRole('log', { name: 'Messages on Bob’s phone' });
  for (const words of [
    'Poll: Lunch?',
    'yes: 1 vote',
    'Forwarded many times',
    'Location, Gate, 52.5, 13.4',
    'Reply to: poll',
    'Voice message, 3 s',
    'Contact: Carol, +49 1510000003',
    'Call, missed',
  ]) {
    await screen.getByText(words, { exact: true }).waitFor();
  }
  assert.deepEqual(complaints, []);
});
