#!/usr/bin/env node
/** The sandbox as a program of its own: `npm run sandbox -- --port 4100 [--data DIR]`. */
import { parseArgs } from 'node:util';
import { startSandbox } from './sandbox.ts';

const usage =
  'usage: handset-sandbox [--port N] [--host ADDRESS] [--advertise NAME] [--data DIRECTORY] [--lenient] [--with-parent]';

const readOptions = () => {
  const { values } = parseArgs({
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      advertise: { type: 'string' },
      data: { type: 'string' },
      lenient: { type: 'boolean' },
      'with-parent': { type: 'boolean' },
    },
  });
  const port = values.port === undefined ? 0 : Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_533) throw new Error('--port must be a port number');
  return {
    withParent: values['with-parent'] === true,
    sandbox: {
      port,
      ...(values.host !== undefined && { host: values.host }),
      ...(values.advertise !== undefined && { advertise: values.advertise }),
      ...(values.data !== undefined && { dataDir: values.data }),
      ...(values.lenient === true && { addressing: 'lenient' as const }),
    },
  };
};

const onError = (error: unknown): void => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
};

const run = async (): Promise<void> => {
  const { withParent, sandbox: options } = readOptions();
  const sandbox = await startSandbox({ ...options, onError });
  const { socketUrl, rootKey, mediaCa, controlUrl, versionUrl } = sandbox;
  // The first line of output (docs/spec/sandbox.md, Running it).
  process.stdout.write(`${JSON.stringify({ socketUrl, rootKey, mediaCa, controlUrl, versionUrl })}\n`);
  let ending = false;
  const end = (): void => {
    if (ending) return;
    ending = true;
    sandbox.close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
  if (!withParent) return;
  process.once('disconnect', end);
  process.stdin.once('end', end).once('error', end).resume();
};

run().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`);
  process.exitCode = 1;
});
