/** The terminal of this process: streams, Ctrl-C, and questions without echo. */
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Terminal } from '../run.ts';
import { usageError } from '../../mcp/client.ts';

const readInput = async (): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
};

/** Reads lines from an input that is no terminal. Shared by all questions, as a second reader would lose what the first has buffered. */
const lineReader = (): (() => Promise<string>) => {
  const ready: string[] = [];
  const ended = new AbortController();
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => void ready.push(line)).once('close', () => ended.abort());
  return async () => {
    if (ready.length === 0 && !ended.signal.aborted) {
      lines.resume();
      await once(lines, 'line', ended).catch(() => undefined);
      // Paused, so that an input left open does not keep the process alive.
      if (!ended.signal.aborted) lines.pause();
    }
    const line = ready.shift();
    if (line === undefined) throw usageError('standard input ended without an answer');
    return line;
  };
};

let nextLine: (() => Promise<string>) | null = null;

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
  if (!process.stdin.isTTY) {
    nextLine ??= lineReader();
    return nextLine().finally(() => process.stderr.write('\n'));
  }
  // Readline echoes to its output; this one discards it.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
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
    sleep: (ms) => sleep(ms, undefined, { signal }),
    signal,
  };
};
