/** Error responses of the service as exceptions. */

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
  /** `Retry-After` in milliseconds; null without that header. */
  readonly retryAfterMs: number | null;

  constructor(response: Response, body: unknown) {
    super(messageOf(body) ?? `HTTP ${response.status}`);
    this.status = response.status;
    this.requestId = response.headers.get('x-request-id');
    this.retryAfterMs = retryAfterMs(response);
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
