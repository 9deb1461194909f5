#!/usr/bin/env node
/** `handset-chatwoot`: reads the environment, runs the bridge, and ends it in order. */
import { startBridge } from './bridge.ts';
import { ConfigError, readConfig } from './config.ts';

const say = (text: string): void => void process.stderr.write(`${new Date().toISOString()} ${text}\n`);

// Until they are sent, texts are in the state file.
process.umask(0o077);

try {
  const bridge = await startBridge(readConfig(), say);
  say(`handset-chatwoot listens on ${bridge.url}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void bridge.close());
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
