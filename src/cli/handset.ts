#!/usr/bin/env node
/** `handset`: the command line, a client of the HTTP interface except for `start` and `sandbox`, which run services. */
import { readClientConfig } from '../config.ts';
import { messageOf } from '../errors.ts';
import { run } from './run.ts';
import { processTerminal } from './terminal/terminal.ts';

if (process.argv[2] === 'sandbox') {
  const { runSandbox } = await import('./sandbox.ts');
  process.exitCode = await runSandbox(process.argv.slice(3));
} else {
  // A reader such as `head` may close the pipe early.
  process.stdout.on('error', () => process.exit(0));
  try {
    process.exitCode = await run(process.argv.slice(2), readClientConfig(), processTerminal());
  } catch (error) {
    process.stderr.write(`handset: ${messageOf(error)}\n`);
    process.exitCode = 2;
  }
}
