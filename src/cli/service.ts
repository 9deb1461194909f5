/** `handset start`: runs the service, with `--sandbox` a test network beside it, and prints how to begin. */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Config, readClientConfig, readConfig, variableNames } from '../config.ts';
import { nearestName } from '../domain/nearest.ts';
import { messageOf } from '../errors.ts';
import { type Logger, makeLog } from '../log.ts';
import type { Handset } from '../main.ts';
import { type SandboxProcess, startSandboxProcess } from './sandbox.ts';

const sandboxPort = 4100;

const usage = `Usage: handset start [--port N] [--sandbox [--lenient]], or npm start [-- …]

Runs Handset, configured by environment variables (docs/configuration.md).
  --port N    listen on this port instead of HANDSET_PORT or 8080; 0 for a free one
  --sandbox   run a messaging network on this machine, beside the service
  --lenient   with --sandbox: accept clients that do not follow today's addressing rules, such as stock Baileys
  --help      show this help

Examples:
  npx handset start --sandbox
  HANDSET_DATA_DIR=/var/lib/handset npx handset start --port 9000`;

/** By then the devices of a usual installation are connected. */
const settledMs = 8_000;

/** Frees about 20 MB of start-up garbage, which V8 returns to the system only under pressure. Needs `--expose-gc`. */
const collectOnce = (): void => {
  setTimeout(() => globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' }), settledMs).unref();
};

const options = {
  port: { type: 'string' },
  sandbox: { type: 'boolean' },
  lenient: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const portOf = (given: string): number => {
  const port = Number(given);
  if (!/^\d{1,5}$/.test(given) || port > 65_535) throw new Error(`--port must be 0 to 65535, not "${given}"`);
  return port;
};

const textLog = async ({ logFormat, logLevel }: Config): Promise<Logger | null> => {
  if ((logFormat ?? (process.stdout.isTTY ? 'text' : 'json')) === 'json') return null;
  const { PinoPretty } = await import('pino-pretty');
  return makeLog(logLevel, PinoPretty({ sync: true, singleLine: true, translateTime: 'SYS:HH:MM:ss' }));
};

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
  readonly lenient: boolean;
}

/** The start banner: the address, the first key (shown once), and the steps to a first message. */
const banner = (handset: Started): string => {
  return [
    `\nHandset listens on ${handset.url}\n  Dashboard: ${handset.url}/\n`,
    handset.warning === null ? '' : `\n  WARNING: ${handset.warning}\n`,
    handset.bootstrapKey === null ? signInLines(handset.credentialsFile) : keyLines(handset.bootstrapKey),
    handset.sandboxControlUrl === null ? '' : sandboxLines(handset.sandboxControlUrl, handset.lenient),
    firstMessageLines(handset.url, handset.sandboxControlUrl === null ? realSteps : sandboxSteps),
    '\n',
  ].join('');
};

const settingNames = [
  'HANDSET_PORT',
  'HANDSET_HOST',
  'HANDSET_DATA_DIR',
  'HANDSET_SECRET',
  'HANDSET_SEARCH',
  'HANDSET_DURABILITY',
  'HANDSET_BOOTSTRAP_KEY',
  'HANDSET_BOOTSTRAP_DEVICE_LIMIT',
  'HANDSET_NETWORK',
  'HANDSET_QUERY_IDS',
  'HANDSET_PUBLIC_URL',
  'HANDSET_RATE_LIMIT',
  'HANDSET_REQUEST_TIMEOUT',
  'HANDSET_ALLOW_PRIVATE_URLS',
  'HANDSET_ALLOWED_PRIVATE_HOSTS',
  'HANDSET_MAX_MEDIA_MB',
  'HANDSET_MEDIA_STORE',
  'HANDSET_DATABASE_URL',
  'HANDSET_S3_ENDPOINT',
  'HANDSET_S3_REGION',
  'HANDSET_S3_ACCESS_KEY_ID',
  'HANDSET_S3_SECRET_ACCESS_KEY',
  'HANDSET_EVENT_RETENTION_DAYS',
  'HANDSET_MESSAGE_RETENTION_DAYS',
  'HANDSET_CLIENT_VERSION',
  'HANDSET_CONNECT_CONCURRENCY',
  'HANDSET_ADMIN_TOKEN',
  'HANDSET_TLS_CERT',
  'HANDSET_TLS_KEY',
  'HANDSET_TRUST_PROXY',
  'HANDSET_AUTH_FAILURE_LIMIT',
  'HANDSET_USER_CONCURRENCY',
  'HANDSET_FFMPEG',
  'HANDSET_NEW_SECRET',
  'HANDSET_DATABASE_CONNECTIONS',
  'HANDSET_NODE_URL',
  'HANDSET_LEASE_SECONDS',
  'HANDSET_LOG_FORMAT',
  'HANDSET_LOG_LEVEL',
  'HANDSET_LOG_REQUESTS',
  'HANDSET_URL',
  'HANDSET_KEY',
  'HANDSET_PROFILE',
] as const;

/** Kubernetes sets these in every pod beside a Service called `handset`. */
const ofKubernetes = /^HANDSET_(?:SERVICE|PORT)_/;

/** Mistyped settings would silently have no effect. */
const unknownSettings = (variables: readonly string[]): readonly string[] =>
  variables
    .filter((name) => name.startsWith('HANDSET_') && !ofKubernetes.test(name))
    .filter((name) => !settingNames.some((known) => known === name))
    .map(
      (name) => `${name} is not a setting; did you mean ${nearestName(name, settingNames)}? See docs/configuration.md.`,
    );

const serve = async (): Promise<void> => {
  const { values } = parseArgs({ options });
  if (values.help === true) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  if (values.lenient === true && values.sandbox !== true) throw new Error('--lenient needs --sandbox');
  for (const warning of unknownSettings(variableNames())) process.stderr.write(`Warning: ${warning}\n`);
  let config = readConfig();
  if (values.port !== undefined) config = { ...config, port: portOf(values.port) };
  let sandbox: SandboxProcess | null = null;
  if (values.sandbox === true) {
    if (config.network !== null) throw new Error('Use either --sandbox or HANDSET_NETWORK, not both');
    const port = config.port === 0 ? 0 : sandboxPort;
    sandbox = await startSandboxProcess(
      `${config.dataDir}/sandbox`,
      port,
      values.lenient === true ? ['--lenient'] : [],
    );
    config = { ...config, network: sandbox.controlUrl };
    const actualPort = new URL(sandbox.controlUrl).port;
    if (port !== 0 && actualPort !== String(port)) {
      process.stderr.write(`Port ${port} is in use by another program: the sandbox is on port ${actualPort}.\n`);
    }
  }
  try {
    // Loaded late, so that a bad setting is reported at once.
    const { startHandset } = await import('../main.ts');
    const log = await textLog(config);
    const handset = await startHandset(config, log === null ? {} : { log });
    collectOnce();
    let stopping = false;
    const stop = (): void => {
      if (stopping) return;
      stopping = true;
      void handset
        .close()
        .then(() => sandbox?.stop())
        .finally(() => process.exit(0));
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
    process.on('SIGHUP', () => void handset.reload());
    const sandboxEnded = (code: number | null): void => {
      if (stopping) return;
      process.stderr.write(`The sandbox has stopped (exit code ${code}); Handset stops too.\n`);
      stop();
    };
    void sandbox?.ended.then(sandboxEnded);
    // Printed last, since a script that reads it may stop the service at once.
    const { credentialsFile } = readClientConfig();
    process.stdout.write(banner({ ...handset, credentialsFile, lenient: values.lenient === true }));
  } catch (error) {
    await sandbox?.stop();
    throw error;
  }
};

try {
  await serve();
} catch (error) {
  process.stderr.write(`Handset cannot start: ${messageOf(error)}\n`);
  process.exit(1);
}
