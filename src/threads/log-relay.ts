/** The log of a thread: its lines are written by the main thread, where and as all others are. */
import { type Logger, makeLog } from '../log.ts';

export const logOfThread = (level: string, send: (line: string) => void): Logger =>
  makeLog(level, { write: (line: string) => send(line) });

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

export const relayLog = (log: Logger, line: string): void => {
  const entry: unknown = JSON.parse(line);
  if (typeof entry !== 'object' || entry === null) return;
  const { level, time: _, msg, ...fields }: Record<string, unknown> = { ...entry };
  const known = levels.find((each) => each === level);
  if (known !== undefined) log[known](fields, typeof msg === 'string' ? msg : undefined);
};
