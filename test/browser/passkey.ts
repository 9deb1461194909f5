/** A browser with the extension, before a page that stands for the network's, and with a phone's passkey in it. */
import { join } from 'node:path';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { launchWithExtension } from './browser.ts';

const extension = join(import.meta.dirname, '../../extension');

/** What the sandbox tells of a phone's passkey; bytes are base64url, the key is PKCS 8. */
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

/** The browser's own authenticator gets the phone's passkey, and its owner always agrees. */
export const givePasskey = async (page: Page, { passkey }: SandboxPasskey): Promise<void> => {
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
};
