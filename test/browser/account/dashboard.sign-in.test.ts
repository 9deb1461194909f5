/** The sign-in of the dashboard: a cookie in the place of the key, with a budget of its own. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownerKey, startInstallation } from '../../support/installation.ts';
import { eventually } from '../../support/wait.ts';
import { launch, openPage, skip } from '../browser.ts';
import { signIn } from '../scenes.ts';

test(
  'the dashboard has a budget of its own, keeps no key, and stays signed in where that is wanted',
  { skip },
  async () => {
    await using installation = await startInstallation({ HANDSET_RATE_LIMIT: '100' });
    const browser = await launch();
    const { page } = await openPage(browser, installation.handset.url);
    await page.getByText('Stay signed in').click();
    await page.waitForLoadState('networkidle');
    const isGroupingLoaded = (): Promise<boolean> =>
      page.evaluate<boolean>('performance.getEntriesByType("resource").some(({ name }) => name.includes("/numbers-"))');
    assert.equal(await isGroupingLoaded(), false, 'the sign-in page does not wait for what it does not show');
    await signIn(page);
    await eventually('digits can be grouped', isGroupingLoaded);
    const shown = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage, document.cookie])');
    assert.ok(!shown.includes(ownerKey.slice(8)), 'no script can read the key');
    const { api } = installation;
    const left = async (): Promise<number> => Number((await api.get('/me')).headers.get('ratelimit-remaining'));
    const start = await left();
    for (const name of ['Webhooks', 'Opt-outs', 'API keys', 'Usage', 'Devices']) {
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
    }
    assert.ok((await left()) >= start - 1, 'clicking costs the keys nothing');
    let status = 200;
    while (status === 200) ({ status } = await api.get('/me'));
    assert.equal(status, 429);
    await page.reload();
    await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
    await page.getByText('No devices yet').waitFor();
    const again = await page.context().newPage();
    await page.close();
    await again.evaluate('new Promise((resolve) => setTimeout(resolve, 100))');
    await again.goto(installation.handset.url);
    await again.getByText('No devices yet').waitFor();
    await again.getByRole('button', { name: 'Sign out' }).click();
    await again.getByRole('heading', { name: 'Sign in' }).waitFor();
    await eventually('the cookie is gone', async () => (await again.context().cookies()).length === 0);
    await browser.close();
  },
);
