/** Webhooks and their deliveries in the dashboard: set up, tested, looked at and replayed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Installation } from '../support/installation.ts';
import { type Receiver, verify } from '../support/receiver.ts';
import { eventually } from '../support/wait.ts';
import { ada, bob } from '../flows/steps.ts';
import { skip, violationsOn } from './browser.ts';

interface Rig {
  readonly installation: Installation;
  readonly page: Page;
  readonly receiver: Receiver;
}

/** On the page of another test file, which shows a device of Ada's. */
export const testWebhooks = (rig: () => Rig): void => {
  const button = (name: string | RegExp) => rig().page.getByRole('button', { name, exact: typeof name === 'string' });
  const openTab = (name: string): Promise<void> =>
    rig().page.getByRole('navigation', { name: 'Device', exact: true }).getByRole('link', { name }).click();
  const says = async (text: string | RegExp): Promise<void> => {
    await rig().page.getByRole('status').getByText(text).first().waitFor();
  };

  test('a webhook is set up, tested, and its deliveries are filtered, looked at and replayed', { skip }, async () => {
    const { installation, page, receiver } = rig();
    await openTab('Webhook');
    await page.getByLabel('URL', { exact: true }).fill(`${receiver.url}/hook`);
    await button('Save').click();
    await says('Webhook saved.');
    await button('Send test event').click();
    await says(/^The endpoint responded with 200 in/);
    await button('Show').click();
    const secret = (await page.locator('.secret code').textContent()) ?? '';
    verify(secret, receiver.received[0]!);
    await page.getByText("import { Webhook } from 'standardwebhooks'").waitFor();
    await page.getByText('Python', { exact: true }).click();
    await page.getByText('from standardwebhooks.webhooks import Webhook').waitFor();

    receiver.answer({ status: 500, body: 'out of paper', headers: { 'x-request-id': 'printer-7' } });
    await button('Send test event').click();
    await page
      .getByRole('alert')
      .getByText(/^The test event was not delivered/)
      .waitFor();
    await page.locator('main').getByText('Unhealthy').waitFor();
    const earlier = receiver.received.length;
    await installation.phones.write(bob, { to: ada, text: 'For the webhook' });
    await installation.phones.write(bob, { to: ada, text: 'Behind it' });
    await openTab('Deliveries');
    await receiver.until(earlier + 2);
    const rows = page.locator('tr[data-delivery=pending]');
    await eventually('a delivery that waits for its retry, and one behind it', async () => {
      await button(/^Refresh/).click();
      const behind = await rows.getByText(/^Waiting behind message\.received of \d\d:\d\d$/).count();
      return behind === 1 && (await rows.filter({ hasText: 'Retrying' }).getByText('HTTP 500').count()) === 1;
    });
    await page.getByText('1 being retried, 1 waiting.').waitFor();
    assert.deepEqual(await violationsOn(page), []);
    const retrying = rows.filter({ hasText: 'Retrying' });
    await retrying.getByRole('button', { name: /^message\.received/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('For the webhook').waitFor();
    await dialog.getByText('out of paper').first().waitFor();
    await dialog.getByText('x-request-id: printer-7').first().waitFor();
    await dialog
      .getByText(/^HTTP 500 · .* ms/)
      .first()
      .waitFor();
    assert.deepEqual(await violationsOn(page), []);
    await page.keyboard.press('Escape');
    // Not before: the next retry may come at any moment, and then nothing is left to queue.
    receiver.answer({ status: 200 });
    await button('Retry all waiting and failed').click();
    await says(/deliver(?:y|ies) queued again\./);
    await eventually(
      'both have arrived',
      () => receiver.received.filter(({ body }) => body.includes('Behind it')).length > 0,
    );
    await page.getByText('Delivered', { exact: true }).first().click();
    await eventually('it is delivered', async () => {
      await button(/^Refresh/).click();
      return (await page.locator('tr[data-delivery=delivered]').count()) > 0;
    });
    assert.equal(await page.locator('tr[data-delivery=pending]').count(), 0);
  });

  test(
    'another webhook of the device, and one of all devices, have events, headers and deliveries of their own',
    { skip },
    async () => {
      const { installation, page, receiver } = rig();
      const dialog = page.getByRole('dialog');
      const add = async (path: string): Promise<void> => {
        await button('Add webhook').click();
        await dialog.getByLabel('URL', { exact: true }).fill(`${receiver.url}${path}`);
        await button('None').last().click();
        await dialog.getByLabel('message.received').check();
        await dialog.getByLabel('Headers').fill('X-Team: support');
        assert.deepEqual(await violationsOn(page), []);
        await dialog.getByRole('button', { name: 'Save' }).click();
        await dialog.waitFor({ state: 'detached' });
      };
      const card = (path: string) => page.getByRole('region', { name: `Webhook ${receiver.url}${path}` });
      const postsTo = (path: string) => receiver.received.filter((one) => one.path === path);
      await openTab('Webhook');
      await add('/team');
      await card('/team').getByText('x-team').waitFor();
      await card('/team').getByRole('button', { name: 'Send test event' }).click();
      await says(/^The endpoint responded with 200 in/);
      assert.equal(postsTo('/team').at(-1)?.headers['x-team'], 'support');
      assert.deepEqual(await violationsOn(page), []);
      await card('/team').locator('summary').click();
      await card('/team').getByRole('button', { name: 'Show' }).click();
      verify((await card('/team').locator('.secret code').textContent()) ?? '', postsTo('/team').at(-1)!);

      await page.getByRole('link', { name: 'Webhooks' }).click();
      await page.getByText('No webhooks yet').waitFor();
      await add('/all');
      await installation.phones.write(bob, { to: ada, text: 'For all of them' });
      await eventually('all of them have it', () =>
        ['/team', '/all'].every((path) => postsTo(path).some(({ body }) => body.includes('For all of them'))),
      );
      await card('/all').getByRole('button', { name: 'Deliveries' }).click();
      // It is recorded a moment after the endpoint has answered.
      await eventually('both are delivered', async () => {
        if ((await dialog.getByText('Delivered', { exact: true }).count()) > 1) return true;
        await dialog.getByRole('button', { name: /^Refresh/ }).click();
        return false;
      });
      assert.deepEqual(await violationsOn(page), []);
      await dialog.getByRole('button', { name: /^message\.received/ }).click();
      await page.getByText('For all of them').last().waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      const answerAll = (status: number) => receiver.answer(({ path }) => ({ status: path === '/all' ? status : 200 }));
      answerAll(500);
      for (const text of ['In front', 'After it']) await installation.phones.write(bob, { to: ada, text });
      await card('/all').getByRole('button', { name: 'Deliveries' }).click();
      await eventually('one waits behind the other', async () => {
        await dialog.getByRole('button', { name: 'Refresh' }).click();
        return (await dialog.getByText(/^Waiting behind message\.received/).count()) === 1;
      });
      answerAll(410);
      await dialog.getByRole('button', { name: 'Retry all waiting and failed' }).click();
      await page.keyboard.press('Escape');
      await installation.phones.write(bob, { to: ada, text: 'Since then' });
      await card('/all')
        .getByText(/responded with 410 Gone, so this webhook was stopped/)
        .waitFor();
      assert.deepEqual(await violationsOn(page), []);
      answerAll(200);
      await card('/all').getByRole('button', { name: 'Turn on' }).click();
      await card('/all').getByText('Healthy').waitFor();
      await eventually('what waited has come', () => postsTo('/all').some(({ body }) => body.includes('After it')));
      await card('/all').getByRole('button', { name: 'Turn off' }).click();
      await card('/all').getByText('Off', { exact: true }).waitFor();
      await card('/all').getByRole('button', { name: 'Deliveries' }).click();
      await dialog.getByRole('button', { name: 'Resend' }).first().click();
      await says('Queued again. It waits until you turn the webhook on.');
      await page.keyboard.press('Escape');
      await card('/all').getByRole('button', { name: 'Delete webhook' }).click();
      await dialog.getByRole('button', { name: 'Delete webhook' }).click();
      await page.getByText('No webhooks yet').waitFor();

      await page.goBack();
      await openTab('Deliveries');
      await page.getByRole('combobox', { name: 'Webhook', exact: true }).selectOption(`${receiver.url}/team`);
      await page.locator('tr[data-delivery=delivered]').first().waitFor();
      assert.equal(await page.locator('tr[data-delivery]').count(), 4);
    },
  );
};
