/** `handset start`: runs the service, with `--sandbox` a test network beside it, and prints how to begin. */
import { parseArgs } from 'node:util';
import { type Config, readClientConfig, readConfig, variableNames } from '../config.ts';
import { messageOf } from '../errors.ts';
import { type Logger, makeLog } from '../log.ts';
import { banner } from './banner.ts';
import { type SandboxProcess, startSandboxProcess } from './sandbox.ts';
import { unknownSettings } from './unknown-settings.ts';

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

/** Null: JSON lines. */
const textLog = async ({ logFormat, logLevel }: Config): Promise<Logger | null> => {
  if ((logFormat ?? (process.stdout.isTTY ? 'text' : 'json')) === 'json') return null;
  const { PinoPretty } = await import('pino-pretty');
  return makeLog(logLevel, PinoPretty({ sync: true, singleLine: true, translateTime: 'SYS:HH:MM:ss' }));
};

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
