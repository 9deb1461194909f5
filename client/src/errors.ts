/** Error responses of the service as exceptions. */
import type { components } from './schema.ts';

/** The words of `Handset-Reason` (docs/http.md, Reasons); later services may have more. */
export type Reason = components['headers']['Handset-Reason'];

/** Parses `Retry-After`, which is in seconds or a date; null without one. */
export const retryAfterMs = (response: Response): number | null => {
  const value = response.headers.get('retry-after');
  if (value === null) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
};

/** `{status: {message}}`, or `{error: {message}}` for a 401. */
const messageOf = (body: unknown): string | null => {
  if (typeof body !== 'object' || body === null) return null;
  for (const name of ['error', 'status']) {
    const part: unknown = Reflect.get(body, name);
    const message: unknown = typeof part === 'object' && part !== null ? Reflect.get(part, 'message') : null;
    if (typeof message === 'string') return message;
  }
  return null;
};

export class HandsetError extends Error {
  override readonly name = 'HandsetError';
  /** The HTTP status. */
  readonly status: number;
  /** `X-Request-Id`, to find the request in the service's log. */
  readonly requestId: string | null;
  /** `Handset-Reason`: a word to compare, such as `number_not_on_network`; null where something in front of the service answered. */
  readonly reason: Reason | null;
  /** `Retry-After` in milliseconds; null without that header. */
  readonly retryAfterMs: number | null;

  constructor(response: Response, body: unknown) {
    super(messageOf(body) ?? `HTTP ${response.status}`);
    this.status = response.status;
    this.requestId = response.headers.get('x-request-id');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a later service may have more words
    this.reason = response.headers.get('handset-reason') as Reason | null;
    this.retryAfterMs = retryAfterMs(response);
  }
}

/** The words of the network, which `fetch` has as a cause, and of several addresses as several. */
const reasonOf = (failure: unknown): string => {
  if (!(failure instanceof Error)) return String(failure);
  if (failure instanceof AggregateError) return failure.errors.map(reasonOf).join(', ');
  return failure.cause instanceof Error ? reasonOf(failure.cause) : failure.message;
};

/** The service did not answer: nothing listens at its address, its name is unknown, or the connection broke. `cause` is the error of `fetch`. */
export class HandsetUnreachable extends TypeError {
  override readonly name = 'HandsetUnreachable';
  /** The address of the service. */
  readonly url: string;

  constructor(url: string, cause: unknown) {
    super(`${url} cannot be reached: ${reasonOf(cause)}`, { cause });
    this.url = url;
  }
}

/** The result of the client's `GET`, `POST` and so on. */
type Result<Data> = { data?: Data; error?: unknown; response: Response };

/** The body of a successful response; throws HandsetError for any other. */
export const unwrap = async <Data>(result: Promise<Result<Data>> | Result<Data>): Promise<Exclude<Data, undefined>> => {
  const { data, error, response } = await result;
  if (data === undefined || !response.ok) throw new HandsetError(response, error);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked one line above
  return data as Exclude<Data, undefined>;
};
