/** The start banner: the address, the first key (shown once), and the steps to a first message. */
import { existsSync } from 'node:fs';
import type { Handset } from '../main.ts';

const keyLines = (key: string): string => `
  Your API key, shown only once (only its hash is stored):

      ${key}
`;

const signInLines = (credentialsFile: string): string => `
  Sign in with your API key${existsSync(credentialsFile) ? `; "handset login" has stored it in ${credentialsFile}` : ''}. Lost it? See docs/operations.md, "A lost key".
`;

const lenientLine = `
  LENIENT: it accepts messages that the real network would refuse.`;

const sandboxLines = (controlUrl: string, lenient: boolean): string => `
  SANDBOX: no message leaves this machine. Its phones are beside the dashboard, and at ${controlUrl} (docs/sandbox.md).${lenient ? lenientLine : ''}
`;

const urlLine = (url: string): string => (url === 'http://127.0.0.1:8080' ? '' : `\n      export HANDSET_URL=${url}`);

const sandboxSteps = `npx handset phone add 4915550001111 Ada
      npx handset phone add 4915550002222 Bob
      npx handset device create --name Support --no-wait
      npx handset phone scan 4915550001111 1
      npx handset send text 1 4915550002222 'Hello from Handset'
      npx handset phone messages 4915550002222`;

const realSteps = `npx handset device create          # draws the QR: scan it under ⋮ (iPhone: Settings), Linked devices
      npx handset send text 1 '<number, with country code>' 'Hello from Handset'`;

const firstMessageLines = (url: string, steps: string): string => `
  Send a first message in the dashboard, or in a second terminal
${urlLine(url)}
      npx handset login                  # prompts for the key
      ${steps}

  or over HTTP: ${url}/docs
`;

interface Started extends Pick<Handset, 'url' | 'bootstrapKey' | 'sandboxControlUrl' | 'warning'> {
  readonly credentialsFile: string;
  /** It accepts clients that do not follow today's addressing rules. */
  readonly lenient: boolean;
}

export const banner = (handset: Started): string => {
  return [
    `\nHandset listens on ${handset.url}\n  Dashboard: ${handset.url}/\n`,
    handset.warning === null ? '' : `\n  WARNING: ${handset.warning}\n`,
    handset.bootstrapKey === null ? signInLines(handset.credentialsFile) : keyLines(handset.bootstrapKey),
    handset.sandboxControlUrl === null ? '' : sandboxLines(handset.sandboxControlUrl, handset.lenient),
    firstMessageLines(handset.url, handset.sandboxControlUrl === null ? realSteps : sandboxSteps),
    '\n',
  ].join('');
};
