/** `handset start`: runs the service, with `--sandbox` a test network beside it, and prints how to begin. */
import { parseArgs } from 'node:util';
import { readConfig, variableNames } from '../config.ts';
import { messageOf } from '../errors.ts';
import { banner } from './banner.ts';
import { type SandboxProcess, startSandboxProcess } from './sandbox.ts';
import { unknownSettings } from './unknown-settings.ts';

/** Also the default port of `npm run sandbox`. */
const sandboxPort = 4100;

const usage = `Usage: handset start [--sandbox [--lenient]], or npm start [-- --sandbox [--lenient]]

Runs Handset, configured by environment variables (docs/configuration.md).
  --sandbox   run a messaging network on this machine, beside the service
  --lenient   with --sandbox: accept clients that do not follow today's addressing rules, such as stock Baileys
  --help      show this help

Examples:
  npx handset start --sandbox
  HANDSET_PORT=9000 HANDSET_DATA_DIR=/var/lib/handset npx handset start`;

/** By then the devices of a usual installation are connected. */
const settledMs = 8_000;

/** Frees about 20 MB of start-up garbage, which V8 returns to the system only as a last resort. Needs `--expose-gc`. */
const collectOnce = (): void => {
  setTimeout(() => globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' }), settledMs).unref();
};

const serve = async (): Promise<void> => {
  const { values } = parseArgs({
    options: { sandbox: { type: 'boolean' }, lenient: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help === true) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  if (values.lenient === true && values.sandbox !== true) throw new Error('--lenient needs --sandbox');
  for (const warning of unknownSettings(variableNames())) process.stderr.write(`Warning: ${warning}\n`);
  let config = readConfig();
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
    const handset = await startHandset(config);
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
    process.stdout.write(banner({ ...handset, lenient: values.lenient === true }));
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
