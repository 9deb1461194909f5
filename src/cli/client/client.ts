/** Client of the HTTP interface: JSON in and out. Errors carry the service's own message. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ClientConfig } from '../../config.ts';
import { messageOf } from '../../errors.ts';
import { type Client, CommandError, exitCodes } from '../../mcp/client.ts';

export interface ServiceClient extends Client {
  upload<T>(path: string, bytes: AsyncIterable<Uint8Array>): Promise<T>;
}

/** `{status: {message}}` or `{error: {message}}` (docs/spec/http-interface.md, Errors); `{error: message}` of the sandbox. */
const serverMessage = (body: unknown): string | null => {
  if (typeof body !== 'object' || body === null) return null;
  for (const name of ['error', 'status']) {
    const part: unknown = Reflect.get(body, name);
    const message: unknown = typeof part === 'object' && part !== null ? Reflect.get(part, 'message') : part;
    if (typeof message === 'string') return message;
  }
  return null;
};

const hasEnvelope = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && typeof Reflect.get(body, 'status') === 'object';

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const adviceOn = (response: Response): string => {
  const wait = response.headers.get('retry-after');
  return response.status === 429 && wait !== null ? ` (try again in ${wait} s)` : '';
};

const refusal = async (response: Response, url: string, version: string): Promise<CommandError> => {
  const body = parse(await response.text());
  const said = serverMessage(body);
  // The sandbox and other programs answer errors without this envelope.
  if (response.status === 404 && version === '/v1' && !hasEnvelope(body)) {
    return new CommandError(`what answers at ${url} is not Handset: check HANDSET_URL`);
  }
  if (response.status === 401) {
    const wrong =
      version === '/admin/v1'
        ? 'this admin token: HANDSET_ADMIN_TOKEN must be the one that the service was started with'
        : 'this key: check HANDSET_KEY, or run "handset login" with another one';
    return new CommandError(`${url} does not accept ${wrong} (${said ?? 'HTTP 401'})`, exitCodes.unauthorized);
  }
  const message = said ?? `the service answered HTTP ${response.status}`;
  return new CommandError(`${message}${adviceOn(response)}`);
};

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof AggregateError) return messageOf(cause.errors[0]);
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'it speaks http, not https';
  return messageOf(cause);
};

/** Reads all pages of a list. `name` is its path and the member with its items. */
export const allOf = async <Item>(client: Client, name: string): Promise<readonly Item[]> => {
  const items: Item[] = [];
  let from = '';
  for (;;) {
    const path = `/${name}?limit=1000${from}`;
    const { nextCursor, ...lists } = await client.call<{ readonly nextCursor: string | null }>('GET', path);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the interface is the contract
    items.push(...(lists as Readonly<Record<string, readonly Item[]>>)[name]!);
    if (nextCursor === null) return items;
    from = `&cursor=${encodeURIComponent(nextCursor)}`;
  }
};

export const makeClient = (url: string, key: string, signal: AbortSignal, version = '/v1'): ServiceClient => {
  const request = async (path: string, init: RequestInit): Promise<Response> => {
    let response: Response;
    try {
      response = await fetch(`${url}${version}${path}`, { signal, ...init, redirect: 'manual' });
    } catch (error) {
      if (signal.aborted || init.signal?.aborted === true) throw error;
      throw new CommandError(`no service answers at ${url} (${reasonOf(error)})`, exitCodes.unreachable);
    }
    if (!response.ok) throw await refusal(response, url, version);
    return response;
  };
  const authorization = `Bearer ${key}`;
  const valueOf = async <T>(response: Response): Promise<T> => {
    const value = parse(await response.text());
    if (typeof value !== 'object' || value === null) throw new CommandError(`${url} is not a Handset service`);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the interface is the contract
    return value as T;
  };
  return {
    url,
    async call<T>(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
      const json = body === undefined ? {} : { 'content-type': 'application/json' };
      const response = await request(path, {
        method,
        headers: { authorization, accept: 'application/json', ...json, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return valueOf<T>(response);
    },
    async upload<T>(path: string, bytes: AsyncIterable<Uint8Array>) {
      const response = await request(path, {
        method: 'POST',
        headers: { authorization, accept: 'application/json', 'content-type': 'application/octet-stream' },
        body: ReadableStream.from(bytes),
        duplex: 'half',
      });
      return valueOf<T>(response);
    },
    open: (path, accept, headers = {}, until = signal) =>
      request(path, { headers: { authorization, accept, ...headers }, signal: AbortSignal.any([signal, until]) }),
  };
};

/** The URL and key stored by `handset login`, readable by their owner only. */
export const defaultUrl = 'http://127.0.0.1:8080';

interface Credentials {
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
    const message =
      config.profile === null
        ? `no key for ${url}: set HANDSET_KEY, or run "handset login"`
        : `no key for the profile "${config.profile}": run "handset login --profile ${config.profile}"`;
    throw new CommandError(message, exitCodes.unauthorized);
  }
  return { url, key };
};
