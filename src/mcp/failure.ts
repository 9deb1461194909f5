/** Errors that end a command: a message for standard error, and an exit code. */
import { messageOf } from '../errors.ts';

/** Exit codes of every command (listed by `handset --help`). */
export const exitCodes = { ok: 0, refused: 1, usage: 2, unreachable: 3, unauthorized: 4, differs: 5 } as const;

export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.refused) {
    super(message);
    this.exitCode = exitCode;
  }
}

const fileReasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
};

export const unreadable = (what: string, path: string, error: unknown): CommandError => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return new CommandError(`the ${what} ${path} cannot be read: ${fileReasons[code] ?? messageOf(error)}`);
};

export const usageError = (message: string): CommandError => new CommandError(message, exitCodes.usage);
