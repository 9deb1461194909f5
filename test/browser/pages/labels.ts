/** Labels in the inbox: of chats and messages, made there and changed on the phone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { Installation } from '../../support/installation.ts';
import { skip, violationsOn } from '../browser.ts';

interface Rig {
  readonly installation: Installation;
  readonly page: Page;
  /** Number of the account whose inbox it is. */
  readonly account: string;
  readonly eve: string;
  readonly bob: string;
  /** Id of a message of Eve's. */
  readonly question: string;
}

export const testLabels = (rig: () => Rig): void => {
  test(
    'chats and messages are labelled, the list is filtered, and the phone shows and changes it',
    { skip },
    async () => {
      const { installation, page, account, eve, bob, question } = rig();
      const chat = (name: string): Locator =>
        page.getByRole('list', { name: 'Conversations' }).getByRole('button', { name });
      const dialog = page.getByRole('dialog', { name: 'Labels' });
      const filter = page.getByRole('combobox', { name: 'Show chats with a label' });
      await chat('Eve').click();
      await page.getByRole('button', { name: 'Actions for the chat with Eve' }).click();
      await page.getByRole('menuitem', { name: 'Labels…' }).click();
      await dialog.getByLabel('New label').fill('Garden');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await dialog.getByRole('checkbox', { name: 'Garden', checked: true }).waitFor();
      assert.deepEqual(await violationsOn(page), []);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      await chat('Eve').getByText('Garden').waitFor();
      const onPhone = async () =>
        (await installation.phones.request<{ chat: { labels: string[] } }>('GET', `/phones/${account}/chats/${eve}`))
          .chat;
      assert.deepEqual((await onPhone()).labels, ['1']);
      await filter.selectOption('Garden');
      await chat('Bob').waitFor({ state: 'detached' });
      await chat('Eve').waitFor();
      assert.deepEqual(await violationsOn(page), []);
      await installation.phones.request('PATCH', `/phones/${account}/chats/${bob}`, { labels: ['1'] });
      await chat('Bob').waitFor();
      const bubble = page.locator(`.log [data-id="${question}"]`);
      await bubble.getByRole('button', { name: /^Actions for/ }).click();
      await page.getByRole('menuitem', { name: 'Label…' }).click();
      await dialog.getByRole('checkbox', { name: 'Garden' }).check();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      await bubble.getByText('Garden').waitFor();
      await chat('Eve').click();
      await page.getByRole('button', { name: 'Actions for the chat with Eve' }).click();
      await page.getByRole('menuitem', { name: 'Labels…' }).click();
      await dialog.getByLabel('New label').fill('Mistake');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await dialog.getByRole('button', { name: 'Edit the label “Mistake”' }).click();
      const editor = page.getByRole('dialog', { name: 'Edit the label' });
      await editor.getByRole('button', { name: 'Delete label' }).click();
      await editor.getByText('Delete the label “Mistake”?').waitFor();
      await editor.getByRole('button', { name: 'Delete label' }).click();
      await editor.waitFor({ state: 'detached' });
      await dialog.getByRole('button', { name: 'Edit the label “Garden”' }).click();
      await editor.getByLabel('Label name').fill('Orchard');
      await editor.getByLabel('Colour').selectOption('3');
      assert.deepEqual(await violationsOn(page), []);
      await editor.getByRole('button', { name: 'Save' }).click();
      await editor.waitFor({ state: 'detached' });
      await dialog.getByRole('checkbox', { name: 'Orchard', checked: true }).waitFor();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      const { labels } = await installation.phones.request<{ labels: object[] }>('GET', `/phones/${account}/labels`);
      assert.deepEqual(labels, [{ id: '1', name: 'Orchard', color: 3, type: 'custom' }]);
      await installation.phones.request('PUT', `/phones/${account}/labels/1`, { name: 'Allotment' });
      await bubble.getByText('Allotment').waitFor();
      await installation.phones.request('DELETE', `/phones/${account}/labels/1`);
      await filter.waitFor({ state: 'detached' });
      await chat('Eve').getByText('Allotment').waitFor({ state: 'detached' });
    },
  );
};
