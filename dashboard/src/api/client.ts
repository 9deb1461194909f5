/** API client of who is signed in. Tracks the rate limit from the response headers. */
import { texts } from '../base/texts.ts';
import { Ahead } from './ahead.ts';

const textIn = (known: Readonly<Record<string, string>>, name: string | null): string | null =>
  name !== null && Object.hasOwn(known, name) ? known[name]! : null;

/** Request members whose form field has another name. */
const fieldNames: Readonly<Record<string, string>> = {
  toNumber: 'to',
  toUsername: 'to',
  usernameKey: 'to',
  usernames: 'to',
  phoneNumber: 'number',
  webhookUrl: 'url',
  mediaBase64: 'file',
  fileId: 'file',
  mediaCaption: 'message',
};

/** Fields of reasons whose messages name no member. */
const fieldsByReason: Readonly<Record<string, string>> = {
  account_not_on_network: 'to',
  file_unknown: 'file',
  group_not_writable: 'to',
  invalid_media: 'file',
  media_host_failed: 'file',
  number_not_on_network: 'number',
  opted_out: 'to',
  payload_too_large: 'file',
  upload_budget_exceeded: 'file',
  username_key_required: 'to',
  username_unknown: 'to',
};

/**
 * An error response. Its text comes from `reason`, its `Handset-Reason`, and with `invalid_request` from the member that the message of the service
 * begins with. The words of the service are shown where the reader's language has no text.
 */
export class ApiError extends Error {
  readonly code: number;
  readonly reason: string | null;
  /** The field of a form that it is about; null for none. */
  readonly field: string | null;

  constructor(code: number, message: string, reason: string | null = null) {
    const member = /^[a-z][A-Za-z]*(?=[ .[])/.exec(message)?.[0] ?? null;
    super((reason === 'invalid_request' ? textIn(texts.rules, member) : textIn(texts.refusals, reason)) ?? message);
    this.code = code;
    this.reason = reason;
    this.field = (member === null ? textIn(fieldsByReason, reason) : textIn(fieldNames, member)) ?? member;
  }
}

export interface Rate {
  readonly limit: number;
  readonly remaining: number;
  readonly resetsAt: number;
}

export interface Client {
  /** The headers that say who asks. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly rate: Rate | null;
  /** Called after each response with rate limit headers. Returns an unsubscribe function. */
  readonly onRate: (listener: () => void) => () => void;
  /** Asks for these together; `get` then takes their answers. */
  readonly ahead: (paths: readonly string[]) => void;
  /** What was asked for ahead may be outdated. */
  readonly changed: () => void;
  readonly get: <T>(path: string) => Promise<T>;
  /** `key`: an `Idempotency-Key`. */
  readonly post: <T>(path: string, body?: unknown, key?: string) => Promise<T>;
  readonly put: <T>(path: string, body: unknown) => Promise<T>;
  readonly patch: <T>(path: string, body: unknown) => Promise<T>;
  readonly delete: <T>(path: string) => Promise<T>;
  /** The raw response, for streams and files. Throws ApiError. */
  readonly raw: (path: string, init?: RequestInit) => Promise<Response>;
}

/** The answer to an upload. */
export interface UploadAnswer {
  readonly status: number;
  readonly text: string;
  readonly reason: string | null;
}

/** Throws ApiError for an answer that is no success. */
export const bodyOfUpload = ({ status, text, reason }: UploadAnswer): unknown => {
  const body = bodyOf(text);
  if (status >= 200 && status < 300) return body;
  throw new ApiError(status, messageIn(body, texts.errors.status(status)), reason);
};

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The message in any of the error formats: `status` (most errors), `error` (401), or the sandbox's. */
const messageIn = (body: unknown, fallback: string): string => {
  if (!isRecord(body)) return fallback;
  for (const part of [body.status, body.error]) {
    if (isRecord(part) && typeof part.message === 'string') return part.message;
    if (typeof part === 'string' && part !== 'error') return part;
  }
  return fallback;
};

const rateIn = (headers: Headers): Rate | null => {
  const limit = headers.get('ratelimit-limit');
  if (limit === null) return null;
  return {
    limit: Number(limit),
    remaining: Number(headers.get('ratelimit-remaining')),
    resetsAt: Date.now() + Number(headers.get('ratelimit-reset')) * 1000,
  };
};

const bodyOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** The path under which the service is reached behind a proxy (HANDSET_PUBLIC_URL); both pages are at its root. */
export const prefix = new URL('.', location.href).pathname.slice(0, -1);

/** Paths are absolute (`/v1/…`). `onRefused` is called on a 401, when the key or sign-in is no longer valid. */
export const makeClient = (credentials: Client['credentials'], onRefused: () => void): Client => {
  const listeners = new Set<() => void>();
  let rate: Rate | null = null;
  const raw = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(credentials)) headers.set(name, value);
    let answer: Response;
    try {
      answer = await fetch(prefix + path, { ...init, headers });
    } catch (error) {
      if (init.signal?.aborted === true) throw error;
      throw new ApiError(0, texts.errors.unreachable);
    }
    const told = rateIn(answer.headers);
    if (told !== null) {
      rate = told;
      for (const listener of listeners) listener();
    }
    if (answer.ok) return answer;
    if (answer.status === 401) onRefused();
    const message = messageIn(bodyOf(await answer.text()), texts.errors.status(answer.status));
    throw new ApiError(answer.status, message, answer.headers.get('handset-reason'));
  };
  const ahead = new Ahead();
  const call = async <T>(method: string, path: string, body?: unknown, key?: string): Promise<T> => {
    if (method !== 'GET') ahead.drop();
    const headers = {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    };
    const answer = await raw(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service validates its responses against the published schemas
    return (await answer.json()) as T;
  };
  return {
    credentials,
    get rate() {
      return rate;
    },
    onRate(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ahead: (paths) => ahead.begin(paths, (path) => call('GET', path)),
    changed: () => ahead.drop(),
    get: (path) => ahead.get(path, () => call('GET', path)),
    post: (path, body, key) => call('POST', path, body, key),
    put: (path, body) => call('PUT', path, body),
    patch: (path, body) => call('PATCH', path, body),
    delete: (path) => call('DELETE', path),
    raw,
  };
};

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
