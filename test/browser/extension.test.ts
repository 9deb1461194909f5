/** The extension in a real browser: from the link to the linked device, and what it says when that does not work. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { passkeyOrigin } from '../../src/domain/passkey.ts';
import { ada, addPhones, bob, deviceBeforeGate, untilOpen, untilPasskey } from '../flows/steps.ts';
import { shiftedClock } from '../support/clock.ts';
import { type Installation, ownerKey, startInstallation } from '../support/installation.ts';
import { freePort } from '../support/port.ts';
import { skip } from './browser.ts';
import { dialogOf, givePasskey, openLinkingBrowser } from './passkey.ts';

const extension = join(import.meta.dirname, '../../extension');

describe('the extension', { skip }, () => {
  const clock = shiftedClock();
  let installation: Installation;
  let context: BrowserContext;
  let page: Page;
  let agree: (agrees: boolean) => Promise<void>;
  let dialog: ReturnType<typeof dialogOf>;
  let profile: string;
  before(async () => {
    profile = await mkdtemp(join(tmpdir(), 'handset-browser-'));
    [installation, context] = await Promise.all([startInstallation({}, undefined, clock), openLinkingBrowser(profile)]);
    await addPhones(installation);
    await installation.phones.behave(ada, { linking: 'passkey' });
  });
  after(async () => {
    await context?.close();
    await installation?.[Symbol.asyncDispose]();
    await rm(profile, { recursive: true, force: true });
  });
  afterEach(async () => {
    await page?.close();
    const { devices } = (await installation.api.get('/devices')).body;
    for (const { id } of devices) await installation.api.delete(`/devices/${id}`);
  });

  const linkOf = async (id: number): Promise<string> =>
    (await installation.api.get(`/devices/${id}/passkey`)).body.passkey.link;
  const open = async (link: string, number: string = ada): Promise<void> => {
    page = await context.newPage();
    agree = await givePasskey(page, await installation.phones.request('GET', `/phones/${number}/passkey`));
    dialog = dialogOf(page);
    await page.goto(link, { waitUntil: 'commit' });
  };

  const stepOf = async (id: number): Promise<string> =>
    (await installation.api.get(`/devices/${id}/passkey`)).body.passkey.step;
  const ticketIn = (link: string) => JSON.parse(Buffer.from(link.split('#handset=')[1]!, 'base64url').toString());
  const linkWith = (ticket: object): string =>
    `https://web.whatsapp.com/#handset=${Buffer.from(JSON.stringify(ticket)).toString('base64url')}`;

  it('may do nothing but run on the one page where the passkey works', async () => {
    const manifest = JSON.parse(await readFile(join(extension, 'manifest.json'), 'utf8'));
    assert.deepEqual(
      [manifest.permissions, manifest.host_permissions, manifest.optional_permissions],
      [undefined, undefined, undefined],
    );
    assert.deepEqual(
      manifest.content_scripts.flatMap(({ matches }: { matches: string[] }) => matches),
      [`${passkeyOrigin}/*`],
    );
  });

  it('asks the person, then the passkey, and the device is linked; the page has not run and has no ticket', async () => {
    const id = await deviceBeforeGate(installation);
    const link = await linkOf(id);
    assert.deepEqual(Object.keys(ticketIn(link)), ['options', 'url', 'token']);
    await open(link);
    await dialog.says(`Link your WhatsApp account to the Handset at ${new URL(installation.handset.url).host}?`);
    assert.equal(page.url(), 'https://web.whatsapp.com/');
    assert.equal(await page.evaluate('window.pageHasRun'), undefined);
    // A document can be stopped so early that nothing of it is ever drawn.
    assert.equal(await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => drawn('drawn')))"), 'drawn');
    assert.equal(await stepOf(id), 'response');
    assert.equal(await dialog.focused(), 'Cancel', 'a key that was meant for the page uses no passkey');
    await dialog.press('Use passkey');
    await dialog.says(/^Done\. Handset has the response/);
    await untilOpen(installation, id);
  });

  it('in a page that runs already, a link in the address bar asks as well', async () => {
    const id = await deviceBeforeGate(installation);
    await open('https://web.whatsapp.com/');
    await page.waitForFunction('window.pageHasRun');
    assert.deepEqual(await dialog.buttons(), []);
    await page.goto(await linkOf(id));
    await dialog.press('Use passkey');
    await dialog.says(/^Done/);
    assert.equal(page.url(), 'https://web.whatsapp.com/');
    await untilOpen(installation, id);
  });

  it('after five minutes a code is to be compared, as it says', async () => {
    const id = await deviceBeforeGate(installation);
    clock.ahead(301_000);
    await open(await linkOf(id));
    await dialog.press('Use passkey');
    await dialog.says(/^If your phone shows a code, compare it/);
    await untilPasskey(installation, id, 'confirm');
  });

  it('sends nothing when the person does not want it', async () => {
    const id = await deviceBeforeGate(installation);
    await open(await linkOf(id));
    await dialog.press('Cancel');
    await dialog.says(/^Nothing was sent/);
    assert.equal(await stepOf(id), 'response');
    assert.deepEqual(await dialog.buttons(), []);
  });

  it('a browser that gives no passkey is asked again', async () => {
    const id = await deviceBeforeGate(installation);
    await open(await linkOf(id));
    await agree(false);
    await dialog.press('Use passkey');
    await dialog.says(/^The browser returned no passkey\. You cancelled/);
    await agree(true);
    await dialog.press('Try again');
    await dialog.says(/^Done/);
    await untilOpen(installation, id);
  });

  it('passes on what the network says to the passkey of another account, and a used link is told apart', async () => {
    const id = await deviceBeforeGate(installation);
    const link = await linkOf(id);
    await open(link, bob);
    await dialog.press('Use passkey');
    await dialog.says(/^Handset rejected the response: .*credential-unknown/);
    await page.close();
    await open(link);
    await dialog.press('Use passkey');
    await dialog.says(/^This link has already been used/);
    assert.equal(await stepOf(id), 'response');
    await page.close();
    await open(await linkOf(id));
    await dialog.press('Use passkey');
    await dialog.says(/^Done/);
    await untilOpen(installation, id);
  });

  it('a service that cannot be reached gets the same answer once more', async () => {
    const id = await deviceBeforeGate(installation);
    const ticket = ticketIn(await linkOf(id));
    const server = createServer();
    const port = await freePort();
    await open(linkWith({ ...ticket, url: `http://127.0.0.1:${port}/v1/devices/${id}/passkey/response` }));
    await dialog.press('Use passkey');
    await dialog.says(/cannot be reached from this browser/);
    const received = new Promise<string>((resolve) => {
      server.on('request', (request, response) => {
        if (request.method === 'POST') resolve(request.headers.authorization ?? '');
        const headers = {
          'access-control-allow-origin': '*',
          'access-control-allow-headers': 'authorization, content-type',
        };
        response
          .writeHead(200, { ...headers, 'content-type': 'application/json' })
          .end('{"status":{"message":"taken"}}');
      });
      server.listen(port, '127.0.0.1');
    });
    await dialog.press('Send again');
    assert.equal(await received, `Bearer ${ticket.token}`);
    await dialog.says(/^Done/);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('refuses what is no whole ticket, and one whose answer would go elsewhere', async () => {
    const id = await deviceBeforeGate(installation);
    const link = await linkOf(id);
    const ticket = ticketIn(link);
    for (const broken of [
      link.slice(0, -20),
      linkWith({ ...ticket, url: 'javascript:alert(1)//passkey/response' }),
      linkWith({ ...ticket, url: `${installation.handset.url}/v1/devices` }),
      linkWith({ ...ticket, token: ownerKey }),
    ]) {
      await open(broken);
      await dialog.says(/^This link is incomplete/);
      assert.deepEqual(await dialog.buttons(), []);
      await page.close();
    }
  });

  it('reaches a service in the own network without encryption, and says what that means', async () => {
    const id = await deviceBeforeGate(installation);
    const ticket = ticketIn(await linkOf(id));
    await open(linkWith({ ...ticket, url: ticket.url.replace('127.0.0.1', 'handset.test') }));
    await dialog.says(/is not encrypted/);
    await dialog.press('Use passkey');
    await dialog.says(/^Done/);
    await untilOpen(installation, id);
  });
});
