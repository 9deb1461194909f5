/** The URL and key stored by `handset login`, readable by their owner only. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ClientConfig } from '../../config.ts';
import { CommandError, exitCodes } from '../../mcp/client.ts';

export const defaultUrl = 'http://127.0.0.1:8080';

export interface Credentials {
  readonly url: string;
  readonly key: string;
}

const isCredentials = (value: unknown): value is Credentials =>
  typeof value === 'object' &&
  value !== null &&
  'url' in value &&
  typeof value.url === 'string' &&
  'key' in value &&
  typeof value.key === 'string';

export const readCredentials = async (file: string): Promise<Credentials | null> => {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isCredentials(value)) return value;
  } catch {
    // Reported below, like JSON of the wrong shape.
  }
  throw new CommandError(`${file} is damaged; run "handset login" again`);
};

/** Writes atomically, with mode 0600 from the first byte. */
export const writeCredentials = async (file: string, credentials: Credentials): Promise<void> => {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.tmp`;
  await writeFile(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  try {
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
};

export const removeCredentials = (file: string): Promise<void> => rm(file, { force: true });

/** The environment wins over the file. A stored key is only ever sent to the URL it was stored with. */
export const chooseCredentials = (config: ClientConfig, stored: Credentials | null): Credentials => {
  const url = config.url ?? stored?.url ?? defaultUrl;
  const key = config.key ?? (stored?.url === url ? stored.key : null);
  if (key === null) {
    throw new CommandError(`no key for ${url}: set HANDSET_KEY, or run "handset login"`, exitCodes.unauthorized);
  }
  return { url, key };
};
