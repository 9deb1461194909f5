/** Communities in the dashboard: made, filled, read and deactivated. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { Installation } from '../../support/installation.ts';
import { skip, violationsOn } from '../browser.ts';

interface Rig {
  readonly installation: Installation;
  readonly page: Page;
  /** JID of a group of the account's, which administers it. */
  readonly group: string;
}

export const testCommunities = (rig: () => Rig): void => {
  test('a community is made, a group comes in and goes, and it is deactivated', { skip }, async () => {
    const { installation, page, group } = rig();
    const dialog = (): Locator => page.getByRole('dialog').last();
    interface OnNetwork {
      readonly group: { readonly subject: string; readonly community: string | null };
    }
    const onNetwork = async () => (await installation.phones.request<OnNetwork>('GET', `/groups/${group}`)).group;
    const { subject } = await onNetwork();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Groups', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Communities' }).click();
    await dialog().getByText('This account is not in any communities.').waitFor();
    await dialog().getByRole('button', { name: 'Create community' }).click();
    await dialog().getByText('Enter a name for the community.').waitFor();
    await dialog().getByLabel('Community name').fill('Neighbourhood');
    await dialog().getByLabel('Description').fill('All streets');
    assert.deepEqual(await violationsOn(page), []);
    await dialog().getByRole('button', { name: 'Create community' }).click();
    await page.getByRole('dialog', { name: 'Neighbourhood' }).waitFor();
    await dialog().getByText('All streets').waitFor();
    await dialog().getByLabel('Add a group').selectOption(subject);
    await dialog().getByRole('button', { name: 'Add', exact: true }).click();
    const remove = page.getByRole('button', { name: `Remove ${subject} from the community` });
    await remove.waitFor();
    assert.notEqual((await onNetwork()).community, null);
    assert.deepEqual(await violationsOn(page), []);
    await dialog()
      .getByText(/^\d+ (person|people)$/)
      .click();
    await dialog().getByRole('list', { name: 'People of the community' }).getByRole('listitem').first().waitFor();
    await remove.click();
    await remove.waitFor({ state: 'detached' });
    assert.equal((await onNetwork()).community, null);
    await dialog().getByRole('button', { name: 'All communities' }).click();
    await dialog().getByRole('button', { name: 'Neighbourhood' }).click();
    await dialog().getByRole('button', { name: 'Deactivate community' }).click();
    const question = page.getByRole('dialog', { name: 'Deactivate the community “Neighbourhood”?' });
    assert.deepEqual(await violationsOn(page), []);
    await question.getByRole('button', { name: 'Deactivate community' }).click();
    await question.waitFor({ state: 'detached' });
    await dialog().getByText('This account is not in any communities.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
};
