#!/usr/bin/env node
/** The sandbox as a program of its own: `npm run sandbox -- --port 4100 [--data DIR]`. */
import { parseArgs } from 'node:util';
import { isTaken, startSandbox } from './sandbox.ts';

const usage = `Usage: handset sandbox [options], or handset-sandbox [options]

Simulates WhatsApp on this machine: a network with phones (docs/sandbox.md). Its first line of output is JSON with its addresses.
  --port N          port of the control interface; the network's own ports are the next two
  --host ADDRESS    listen on this address; 127.0.0.1 by default
  --advertise NAME  host name that clients are told, if it differs from the address
  --data DIRECTORY  keep accounts, phones and messages there; without it, they end with the process
  --lenient         accept clients that do not follow today's addressing rules, such as stock Baileys
  --with-parent     stop when the standard input closes
  --help            show this help`;

const readOptions = () => {
  const { values } = parseArgs({
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      advertise: { type: 'string' },
      data: { type: 'string' },
      lenient: { type: 'boolean' },
      'with-parent': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) return null;
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
  const given = readOptions();
  if (given === null) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  const { withParent, sandbox: options } = given;
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

const saidOf = (error: unknown): string => {
  if (error instanceof Error && 'port' in error && isTaken(error))
    return `Port ${String(error.port)} is in use by another program: choose another one with --port`;
  return `${error instanceof Error ? error.message : String(error)}\n${usage}`;
};

run().catch((error: unknown) => {
  process.stderr.write(`${saidOf(error)}\n`);
  // The ports that were free are open, and would keep the process.
  process.exit(1);
});
