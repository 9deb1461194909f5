/** The pages of the dashboard with something on them: what is looked at by axe and by the camera. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { english } from '../../dashboard/src/texts/en/index.ts';
import type { Texts } from '../../dashboard/src/texts/translated.ts';
import { api } from '../support/api.ts';
import { type Installation, ownerKey, startInstallation } from '../support/installation.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { eventually } from '../support/wait.ts';
import { ada, addPhones, bob, deviceBeforeGate, linkDevice } from '../flows/steps.ts';

export const adminToken = 'operator-of-the-browser-tests-0123456789';

const eve = '4915550005555';

/** An image of a kind that people send. */
export const picture = (): Buffer => readFileSync(join(import.meta.dirname, 'files/landscape.png'));

export interface Stage extends AsyncDisposable {
  readonly installation: Installation;
  readonly url: string;
  readonly receiver: Receiver;
  /** A connected one with a conversation, a webhook and deliveries. */
  readonly device: number;
  /** One that waits for its QR to be scanned. */
  readonly pairing: number;
  /** One whose account is behind a passkey. */
  readonly gated: number;
}

const converse = async ({ api: service, phones }: Installation, device: number, inOrder: boolean): Promise<void> => {
  const say = async (text: string): Promise<void> => {
    const sent = await service.post(`/devices/${device}/messages/text`, { toNumber: bob, message: text });
    if (sent.status !== 200) throw new Error(JSON.stringify(sent.body));
  };
  /** The network tells times in seconds: what is to be in order must not share one. */
  const nextSecond = async (messages: number): Promise<void> => {
    await eventually('the message is there', async () => {
      const { body } = await service.get(`/devices/${device}/messages`);
      const waited = !inOrder || Date.now() >= Date.parse(body.messages[0].timestamp) + 1000;
      return body.messages.length === messages && waited;
    });
  };
  await phones.write(bob, { to: ada, text: 'Hello! Is my order on its way?' });
  await nextSecond(1);
  await say('Good morning! It left our house at eight, and should be with you this afternoon.');
  await nextSecond(2);
  await phones.write(bob, { to: ada, text: 'Wonderful. Could you send me a picture of it?' });
  await nextSecond(3);
  const mediaBase64 = picture().toString('base64');
  const image = { toNumber: bob, mediaBase64, mediaCaption: 'Here it is' };
  await service.post(`/devices/${device}/messages/media`, image);
  await eventually('Bob has the picture', async () => (await phones.messages(bob)).length === 4);
  for (const { id, state } of await phones.messages(bob)) {
    if (state === 'received') await phones.request('POST', `/phones/${bob}/messages/${id}/read`, {});
  }
  await say('Is there anything else that I can do for you?');
};

/** Everything that the scenes show. `inOrder`: worth some seconds where somebody reads the conversation. */
export const setStage = async ({ inOrder }: { readonly inOrder: boolean }): Promise<Stage> => {
  const installation = await startInstallation({ HANDSET_ADMIN_TOKEN: adminToken });
  const receiver = await startReceiver();
  await addPhones(installation);
  const webhook = { webhookUrl: `${receiver.url}/hook` };
  const device = await linkDevice(installation, ada, { name: 'Front desk', ...webhook });
  await converse(installation, device, inOrder);
  const { body } = await installation.api.post('/devices', { name: 'Night shift' });
  await installation.phones.add(eve, 'Eve');
  await installation.phones.behave(eve, { linking: 'passkey' });
  const gated = await deviceBeforeGate(installation, eve, { name: 'Workshop' });
  await installation.api.post('/keys', { name: 'Billing' });
  await installation.api.post('/suppressions', { number: '4915550009998', reason: 'asked by phone' });
  const crm = { url: 'https://example.com/crm', events: ['group.joined', 'account.limited'] };
  await installation.api.post('/webhooks', crm);
  const admin = api(`${installation.handset.url}/admin/v1`, adminToken);
  await admin.post('/users', { name: 'Bakery', deviceLimit: 3 });
  return {
    installation,
    url: installation.handset.url,
    receiver,
    device,
    pairing: body.device.id,
    gated,
    async [Symbol.asyncDispose]() {
      await receiver.close();
      await installation[Symbol.asyncDispose]();
    },
  };
};

export const signIn = async (page: Page, key: string = ownerKey, words: Texts = english): Promise<void> => {
  await page.getByLabel(words.signIn.key, { exact: true }).last().fill(key);
  await page.getByRole('button', { name: words.signIn.submit }).click();
  await page.getByRole('heading', { name: words.devices.title, level: 1 }).waitFor();
};

export const signInAsOperator = async (page: Page, words: Texts = english): Promise<void> => {
  await page.getByText(words.signIn.asOperator, { exact: true }).click();
  await page.getByLabel(words.signIn.token).fill(adminToken);
  await page.getByRole('button', { name: words.signIn.submit }).click();
  await page.getByRole('heading', { name: words.operator.title }).waitFor();
};

export interface Scene {
  readonly name: string;
  readonly as: 'nobody' | 'user' | 'operator';
  /** From wherever the page is, until all of it is there. `words`: of the language of the page. */
  readonly show: (page: Page, stage: Stage, words: Texts) => Promise<void>;
}

const goTo = (page: Page, hash: string): Promise<unknown> => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

const heading = (page: Page, name: string): Promise<void> => page.getByRole('heading', { name }).first().waitFor();

export const scenes: readonly Scene[] = [
  { name: 'sign-in', as: 'nobody', show: (page, _stage, words) => heading(page, words.signIn.title) },
  {
    name: 'devices',
    as: 'user',
    show: async (page) => {
      await goTo(page, '/devices');
      await page.getByText('Front desk').waitFor();
    },
  },
  {
    name: 'create',
    as: 'user',
    show: async (page, _stage, words) => {
      await goTo(page, '/devices/new');
      await heading(page, words.create.title);
      await page.getByText(words.create.byCode).click();
    },
  },
  {
    name: 'pairing',
    as: 'user',
    show: async (page, { pairing }, words) => {
      await goTo(page, `/devices/${pairing}`);
      await page.getByAltText(words.pairing.qr).waitFor();
    },
  },
  {
    name: 'passkey',
    as: 'user',
    show: async (page, { gated }, words) => {
      await goTo(page, `/devices/${gated}`);
      await page.getByRole('link', { name: words.passkey.open }).waitFor();
    },
  },
  {
    name: 'messages',
    as: 'user',
    show: async (page, { device }, words) => {
      await goTo(page, `/devices/${device}/chat/${bob}`);
      // By its name: the phone beside it shows the same words, and may have them first.
      const log = page.getByRole('log', { name: words.chat.log });
      await log.getByRole('img', { name: 'Here it is' }).waitFor();
    },
  },
  {
    name: 'webhook',
    as: 'user',
    show: async (page, { device }, words) => {
      await goTo(page, `/devices/${device}/webhook`);
      await heading(page, words.webhook.secret);
    },
  },
  {
    name: 'webhooks',
    as: 'user',
    show: async (page) => {
      await goTo(page, '/webhooks');
      await page.getByRole('region', { name: 'Webhook https://example.com/crm' }).waitFor();
    },
  },
  {
    name: 'suppressions',
    as: 'user',
    show: async (page) => {
      await goTo(page, '/suppressions');
      await page.getByRole('rowheader', { name: '+49 15550 009998' }).waitFor();
    },
  },
  {
    name: 'deliveries',
    as: 'user',
    show: async (page, { device }) => {
      await goTo(page, `/devices/${device}/deliveries`);
      await page.getByRole('cell', { name: 'message.received' }).first().waitFor();
    },
  },
  {
    name: 'payload',
    as: 'user',
    show: async (page, { device }) => {
      await goTo(page, `/devices/${device}/deliveries`);
      await page
        .getByRole('button', { name: /^message\.received/ })
        .first()
        .click();
      await page.getByRole('dialog').getByText('"deviceId"').waitFor();
    },
  },
  {
    name: 'events',
    as: 'user',
    show: async (page, { device }) => {
      await goTo(page, `/devices/${device}/events`);
      await page.locator('summary', { hasText: 'connection.open' }).first().click();
    },
  },
  {
    name: 'activity',
    as: 'user',
    show: async (page, { device }, words) => {
      await goTo(page, `/devices/${device}/activity`);
      await heading(page, words.activity.failures);
      await page.getByText(words.activity.ranges.week).click();
    },
  },
  {
    name: 'settings',
    as: 'user',
    show: async (page, { device }, words) => {
      await goTo(page, `/devices/${device}/settings`);
      await heading(page, words.device.danger);
      await page.getByRole('switch', { name: words.presence.online }).waitFor();
    },
  },
  {
    name: 'keys',
    as: 'user',
    show: async (page) => {
      await goTo(page, '/keys');
      await page.getByText('Billing').waitFor();
    },
  },
  {
    name: 'usage',
    as: 'user',
    show: async (page, _stage, words) => {
      await goTo(page, '/usage');
      await heading(page, words.usage.requests);
    },
  },
  {
    name: 'operator',
    as: 'operator',
    show: async (page) => {
      await page.getByText('Bakery').waitFor();
    },
  },
];
