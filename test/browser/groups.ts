/** Groups in the dashboard: made, changed, joined and left; who wrote what, mentions, and what an administrator does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { ada, bob, linkDevice } from '../flows/steps.ts';
import type { Installation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import { openPage, skip, violationsOn } from './browser.ts';
import { testCommunities } from './pages/communities.ts';
import { picture, signIn } from './scenes.ts';

/** Her account is the one that the page is about. */
const jo = '4915550004444';
const eve = '4915550005555';
/** Asks to join. */
const mia = '4915550008888';
const nobody = '4915559999999';

interface Rig {
  readonly installation: Installation;
  readonly browser: Browser;
}

let installation: Installation;
let page: Page;
let complaints: string[];
let device: number;
/** The group that Jo makes. */
let group: string;

interface OnPhone {
  readonly subject: string;
  readonly description: string | null;
  readonly announceOnly: boolean;
  readonly locked: boolean;
  readonly joinApproval: boolean;
  readonly members: readonly { readonly number: string }[];
}

const control = <T>(method: string, path: string, body?: unknown): Promise<T> =>
  installation.phones.request<T>(method, path, body);
const onNetwork = async (): Promise<OnPhone> => (await control<{ group: OnPhone }>('GET', `/groups/${group}`)).group;
const dialog = (): Locator => page.getByRole('dialog').last();
const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
const log = (): Locator => page.getByRole('log', { name: 'Messages in this conversation' });
const bubble = (text: string): Locator => log().getByRole('listitem').filter({ hasText: text }).first();
const head = (): Locator => page.locator('.conversation-head');
const openMenu = async (item: string): Promise<void> => {
  await button('Groups').click();
  await page.getByRole('menuitem', { name: item }).click();
};
const openCard = async (part: string): Promise<void> => {
  await page.getByRole('button', { name: /^Details of the group/ }).click();
  await dialog().getByText(part, { exact: true }).click();
};

const desk = async ({ installation: given, browser }: Rig): Promise<void> => {
  installation = given;
  await installation.phones.add(jo, 'Jo');
  device = await linkDevice(installation, jo);
  await installation.phones.write(bob, { to: jo, text: 'Shall we make a group?' });
  ({ page, complaints } = await openPage(browser, installation.handset.url, {
    viewport: { width: 1440, height: 900 },
  }));
  await signIn(page);
  await page.evaluate(`location.hash = '/devices/${device}'`);
};

/** On the service of another test file, with an account of its own. */
export const testGroups = (rig: () => Rig): void => {
  test('a group is made, and the page tells what became of each person', { skip }, async () => {
    await desk(rig());
    await page.getByRole('list', { name: 'Conversations' }).getByRole('button', { name: 'Bob' }).waitFor();
    await openMenu('New group');
    await button('Create group').click();
    await dialog().getByText('Enter a name for the group.').waitFor();
    await dialog().getByLabel('Group name').fill('Tea');
    const people = dialog().getByLabel('Add people');
    await people.fill('bo');
    await dialog().getByRole('list', { name: 'Contacts' }).getByRole('button', { name: 'Bob' }).click();
    for (const number of [`+${eve}`, nobody]) {
      await people.fill(number);
      await people.press('Enter');
    }
    assert.deepEqual(await violationsOn(page), []);
    await button('Create group').click();
    const results = dialog().getByRole('list', { name: 'Results' });
    await results.getByText('Bob: added').waitFor();
    await results.getByText('+49 15559 999999: not possible (no account has this number)').waitFor();
    await button('Open group').click();
    await page.getByRole('heading', { name: 'Tea', level: 2 }).waitFor();
    group = decodeURIComponent(page.url().split('/').at(-1)!);
    assert.deepEqual((await onNetwork()).members.map(({ number }) => number).sort(), [bob, jo, eve].sort());
  });

  test('a member is mentioned by name, and authors have names and colours', { skip }, async () => {
    const field = page.getByLabel('Message', { exact: true });
    await field.pressSequentially('Who brings the cups, @bo');
    const members = page.getByRole('listbox', { name: 'Mention a member' });
    await members.getByRole('option', { name: 'Bob' }).waitFor();
    assert.deepEqual(await violationsOn(page), []);
    await page.keyboard.press('Enter');
    assert.equal(await field.inputValue(), 'Who brings the cups, @Bob ');
    await page.keyboard.press('Enter');
    await bubble('Who brings the cups').getByText('@Bob').waitFor();
    // The page shows it before it is sent.
    const sent = await eventually('it is sent', async () => {
      const { messages } = (await installation.api.get(`/devices/${device}/messages?chat=${group}`)).body;
      return messages.find(({ text }: { text: string | null }) => text?.startsWith('Who brings'));
    });
    assert.deepEqual([sent.text.trim(), sent.mentions[0].number], [`Who brings the cups, @${bob}`, bob]);
    await installation.phones.write(bob, { to: group, text: 'I do' });
    await installation.phones.write(eve, { to: group, text: 'So do I' });
    const classOf = async (text: string): Promise<string | null> =>
      bubble(text).locator('.author').getAttribute('class');
    await bubble('So do I').getByText('Eve').waitFor();
    assert.notEqual(await classOf('I do'), await classOf('So do I'));
    await head()
      .getByText(/Bob.*Eve|Eve.*Bob/)
      .waitFor();
  });

  test('an administrator deletes a message of somebody else', { skip }, async () => {
    await bubble('So do I')
      .getByRole('button', { name: /^Actions for/ })
      .click();
    await page.getByRole('menuitem', { name: 'Delete for everyone' }).click();
    await dialog().getByRole('button', { name: 'Delete for everyone' }).click();
    await bubble('This message was deleted.').waitFor();
  });

  test('words, rules, picture and timer of a group are changed', { skip }, async () => {
    await openCard('Settings');
    assert.deepEqual(await violationsOn(page), []);
    await dialog().getByLabel('Group name').fill('Tea at four');
    await dialog().getByRole('textbox', { name: 'Description' }).fill('In the kitchen');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await eventually('the words are changed', async () => (await onNetwork()).description === 'In the kitchen');
    const rules = ['Only admins can send messages', 'Admins approve people who join by link'];
    for (const rule of rules) await dialog().getByRole('switch', { name: rule }).click();
    await eventually('the rules are changed', async () => {
      const { announceOnly, joinApproval, locked } = await onNetwork();
      return announceOnly && joinApproval && !locked;
    });
    await dialog().getByLabel('Disappearing messages').selectOption('7 days');
    await dialog()
      .getByLabel('Picture', { exact: true })
      .setInputFiles({ name: 'tea.png', mimeType: 'image/png', buffer: picture() });
    await page.getByText('Picture changed.').waitFor();
    await page.keyboard.press('Escape');
    await openCard('Members');
    await dialog().getByRole('img', { name: 'Profile picture of Tea at four' }).waitFor();
    const shown = (await installation.api.get(`/devices/${device}/groups/${group}`)).body.group;
    assert.deepEqual([shown.subject, shown.expiresInSeconds], ['Tea at four', 604_800]);
  });

  test('members are added, promoted and removed, with the result of each in words', { skip }, async () => {
    const members = dialog().getByRole('list', { name: 'Members' });
    const act = async (item: string): Promise<void> => {
      await button('Actions for Bob').click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    const result = (text: string): Promise<void> =>
      dialog().getByRole('list', { name: 'Results' }).getByText(text).waitFor();
    await act('Make admin');
    await result('Bob: is now an admin');
    await members.getByRole('listitem').filter({ hasText: 'Bob' }).getByText('Admin').waitFor();
    await act('Dismiss as admin');
    await result('Bob: is no longer an admin');
    await dialog().getByLabel('Add people').fill(ada);
    await dialog().getByLabel('Add people').press('Enter');
    await button('Add to the group').click();
    await result('added');
    await act('Remove from the group');
    await dialog().getByRole('button', { name: 'Remove from the group' }).click();
    await result('Bob: removed');
    await members.getByRole('listitem').filter({ hasText: 'Bob' }).waitFor({ state: 'detached' });
    assert.deepEqual(await violationsOn(page), []);
    await page.keyboard.press('Escape');
  });

  test('who asks to join by the link is approved', { skip }, async () => {
    await openCard('Link and requests');
    await button('Show link').click();
    const link = dialog().locator('.secret code');
    const first = await link.textContent();
    await button('Reset link').click();
    await dialog().getByRole('button', { name: 'Reset link' }).click();
    await eventually('another link', async () => (await link.textContent()) !== first);
    const code = ((await link.textContent()) ?? '').split('/').at(-1);
    await installation.phones.add(mia, 'Mia');
    await control('POST', `/phones/${mia}/join`, { code });
    await dialog().getByRole('button', { name: 'Approve' }).click();
    await dialog().getByText('No pending requests.').waitFor();
    assert.ok((await onNetwork()).members.some(({ number }) => number === mia));
    await page.keyboard.press('Escape');
  });

  testCommunities(() => ({ installation, page, group }));

  test('a group is looked at and joined by its link, and left', { skip }, async () => {
    const made = await control<{ jid: string }>('POST', '/groups', { subject: 'Coffee', owner: bob, participants: [] });
    const { code } = await control<{ code: string }>('POST', `/groups/${made.jid}/invite`, {});
    await openMenu('Join a group by link');
    await dialog().getByLabel('Link or code').fill(`https://chat.whatsapp.com/${code}`);
    await button('Preview').click();
    await dialog().getByText('1 member').waitFor();
    assert.deepEqual(await violationsOn(page), []);
    await button('Join group').click();
    await page.getByRole('heading', { name: 'Coffee', level: 2 }).waitFor();
    await openCard('Settings');
    await dialog().getByText('Only admins of this group can change its settings.').waitFor();
    await button('Leave group').click();
    await dialog().getByRole('button', { name: 'Leave group' }).click();
    await page.getByText('You left the group.').waitFor();
    await openMenu('All groups');
    await dialog().getByRole('button', { name: 'Tea at four' }).click();
    await page.getByRole('heading', { name: 'Tea at four', level: 2 }).waitFor();
    assert.deepEqual(
      complaints.filter((text) => !text.includes('404')),
      [],
    );
  });
};
