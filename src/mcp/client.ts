/** The HTTP interface as tools and commands call it, from outside or within the service. */
import type { Answer as AnswerOf, Id } from '../../client/src/calls.ts';
import type { components } from '../../client/src/schema.ts';
import { messageOf } from '../errors.ts';
export interface Client {
  readonly url: string;
  /** Returns the JSON of a 2xx response, throws CommandError for any other. `path` follows `/v1` or `/admin/v1`. */
  call<T>(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<T>;
  /** Returns a 2xx response, for text and streams. `until`: an additional signal. */
  open(
    path: string,
    accept: string,
    headers?: Readonly<Record<string, string>>,
    until?: AbortSignal,
  ): Promise<Response>;
}

export const idempotencyHeader = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { 'idempotency-key': key };

/** Exit codes of every command (listed by `handset --help`). */
export const exitCodes = { ok: 0, refused: 1, usage: 2, unreachable: 3, unauthorized: 4, differs: 5 } as const;

/** An error that ends a command: a message for standard error, and an exit code. */
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

export type Things = components['schemas'];

export type Device = Things['Device'];
export type Session = Things['Session'];
export type DeviceSettings = Things['DeviceSettings'];

export type Answer<Op extends Id> = AnswerOf<Op>;
