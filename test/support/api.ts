/** A small client of the HTTP interface: any method, JSON in and out, nothing hidden. */

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON; text if the response is not JSON; undefined if it is empty. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  readonly body: any;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is, instead of JSON. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
}

const read = async (response: Response): Promise<Answer> => {
  const text = await response.text();
  const json = /json/.test(response.headers.get('content-type') ?? '') && text !== '';
  return {
    status: response.status,
    headers: response.headers,
    body: json ? JSON.parse(text) : text === '' ? undefined : text,
  };
};

/** `baseUrl` includes `/v1`; `key` null: without `Authorization`. */
export const api = (baseUrl: string, key: string | null) => {
  const call = async (method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> => {
    const payload = options.raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(payload === undefined ? {} : { body: payload }),
    });
    return read(response);
  };
  return {
    baseUrl,
    key,
    call,
    get: (path: string, options?: CallOptions): Promise<Answer> => call('GET', path, undefined, options),
    post: (path: string, body?: unknown, options?: CallOptions): Promise<Answer> => call('POST', path, body, options),
    put: (path: string, body?: unknown, options?: CallOptions): Promise<Answer> => call('PUT', path, body, options),
    delete: (path: string, options?: CallOptions): Promise<Answer> => call('DELETE', path, undefined, options),
    /** The response itself, for streams and binary responses. */
    fetch: (path: string, init: RequestInit = {}): Promise<Response> => {
      const headers = new Headers(init.headers);
      if (key !== null) headers.set('authorization', `Bearer ${key}`);
      return fetch(`${baseUrl}${path}`, { ...init, headers });
    },
  };
};

export type Api = ReturnType<typeof api>;
