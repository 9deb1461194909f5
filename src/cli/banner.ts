/** What the service says when it has started: where it listens, the first key (once), and the first message with curl. */
import type { Handset } from '../main.ts';

const keyLines = (key: string): string => `
  Your API key, shown this once (only its hash is stored):

      ${key}
`;

const sandboxLines = (controlUrl: string): string => `
  SANDBOX: no message leaves this machine. Its phones are at ${controlUrl}
  (docs/sandbox.md). Make one, and let it scan the device's QR:

      curl -s ${controlUrl}/phones -H 'Content-Type: application/json' -d '{"number": "4915550001111", "name": "Ada"}'
      curl -s ${controlUrl}/phones/4915550001111/scan -H 'Content-Type: application/json' -d '{"qr": "<qr of the device>"}'
`;

const firstMessageLines = (url: string, scan: string): string => `
  The first message:

      export KEY=<your key>
      curl -s ${url}/v1/devices -X POST -H "Authorization: Bearer $KEY"
      ${scan}
      curl -s ${url}/v1/devices/1/messages/text -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
        -d '{"toNumber": "<number, with country code>", "message": "Hello from Handset"}'
`;

/** The text for standard output. */
export const banner = (handset: Pick<Handset, 'url' | 'bootstrapKey' | 'sandboxControlUrl' | 'warning'>): string => {
  const sandboxed = handset.sandboxControlUrl !== null;
  const scan = sandboxed
    ? '# scan it with the sandbox phone, as shown above'
    : `curl -s '${handset.url}/v1/devices/1/qr?format=text' -H "Authorization: Bearer $KEY"   # scan it with the phone: Settings, Linked devices`;
  return [
    `\nHandset listens on ${handset.url}\n  Dashboard: ${handset.url}/\n`,
    handset.warning === null ? '' : `\n  WARNING: ${handset.warning}\n`,
    handset.bootstrapKey === null ? '' : keyLines(handset.bootstrapKey),
    handset.sandboxControlUrl === null ? '' : sandboxLines(handset.sandboxControlUrl),
    firstMessageLines(handset.url, scan),
    '\n',
  ].join('');
};
