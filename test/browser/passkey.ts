/** A browser with the extension, before a page that stands for the network's, and with a phone's passkey in it. */
import { join } from 'node:path';
import type { BrowserContext, BrowserContextOptions, CDPSession, Page } from 'playwright-core';
import { eventually } from '../support/wait.ts';
import { launchWithExtension } from './browser.ts';

const extension = join(import.meta.dirname, '../../extension');

/** A phone's passkey as the sandbox reports it; bytes are base64url, the key is PKCS 8. */
export interface SandboxPasskey {
  readonly passkey: {
    readonly rpId: string;
    readonly credentialId: string;
    readonly userHandle: string;
    readonly privateKey: string;
  };
}

/** Nothing that is asked of the network's origin leaves this machine. */
export const openLinkingBrowser = async (
  profile: string,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> => {
  const context = await launchWithExtension(extension, profile, options);
  await context.route('https://web.whatsapp.com/**', (route) =>
    route.fulfill({
      contentType: 'text/html',
      headers: { 'content-security-policy': "default-src 'self'; script-src 'unsafe-inline'; style-src 'none'" },
      body: '<!doctype html><title>Web</title><script>window.pageHasRun = true</script><h1>The page itself</h1>',
    }),
  );
  return context;
};

const base64 = (text: string): string => Buffer.from(text, 'base64url').toString('base64');

/** The browser's own authenticator gets the phone's passkey, and its owner agrees; whether they do can be changed. */
export const givePasskey = async (
  page: Page,
  { passkey }: SandboxPasskey,
): Promise<(agrees: boolean) => Promise<void>> => {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await session.send('WebAuthn.addCredential', {
    authenticatorId,
    credential: {
      credentialId: base64(passkey.credentialId),
      isResidentCredential: true,
      rpId: passkey.rpId,
      privateKey: base64(passkey.privateKey),
      userHandle: base64(passkey.userHandle),
      signCount: 0,
    },
  });
  return async (isUserVerified) => {
    await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
  };
};

interface Seen {
  readonly role: string;
  readonly name: string;
  readonly node: number;
}

/** The extension's dialog is closed to the page, and so to page queries: it is read as assistive technology reads it. */
const seen = async (session: CDPSession): Promise<readonly Seen[]> => {
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  return nodes.map(({ role, name, backendDOMNodeId = 0 }) => ({
    role: String(role?.value),
    name: String(name?.value ?? ''),
    node: backendDOMNodeId,
  }));
};

/** A person's actions in the extension's dialog. */
export const dialogOf = (page: Page) => {
  const session = page.context().newCDPSession(page);
  const find = (role: string, text: string | RegExp): Promise<Seen> =>
    eventually(`the ${role} ${text}`, async () =>
      (await seen(await session)).find(
        (one) => one.role === role && (typeof text === 'string' ? one.name === text : text.test(one.name)),
      ),
    );
  return {
    says: (text: string | RegExp): Promise<Seen> => find('StaticText', text),
    async press(name: string): Promise<void> {
      const { node } = await find('button', name);
      const { model } = await (await session).send('DOM.getBoxModel', { backendNodeId: node });
      const [left, top, , , right, bottom] = model.content as [number, number, number, number, number, number];
      await page.mouse.click((left + right) / 2, (top + bottom) / 2);
    },
    /** The name of what has the focus. */
    async focused(): Promise<string> {
      const { nodes } = await (await session).send('Accessibility.getFullAXTree');
      const isFocused = ({ role, properties = [] }: (typeof nodes)[number]): boolean =>
        role?.value === 'button' && properties.some(({ name, value }) => name === 'focused' && value.value === true);
      return String(nodes.find(isFocused)?.name?.value ?? '');
    },
    async buttons(): Promise<readonly string[]> {
      return (await seen(await session)).filter(({ role }) => role === 'button').map(({ name }) => name);
    },
  };
};
