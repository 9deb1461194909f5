/** The terminal that the process has: its streams, Ctrl-C, and questions whose answer is not shown. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Terminal } from '../run.ts';
import { sleep } from '../sleep.ts';

const readInput = async (): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
};

const ask = async (question: string, signal: AbortSignal): Promise<string> => {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question, { signal });
  } finally {
    lines.close();
  }
};

const askSecret = async (question: string): Promise<string> => {
  process.stderr.write(question);
  // Readline echoes to its output: this one keeps nothing.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: process.stdin.isTTY });
  try {
    return await lines.question('');
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
};

export const processTerminal = (): Terminal => {
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  const { signal } = interrupted;
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    readInput,
    ask: (question) => ask(question, signal),
    askSecret,
    sleep: (ms) => sleep(ms, signal),
    signal,
  };
};
