/** The HTTP interface as tools and commands call it, from outside or within the service. */
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
