/** JSON over HTTP with errors that say what was refused, for both sides. */

/** An answer other than 2xx. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Refused for what was asked, so the same request is refused again; 401, 403 and 404 are about the token and the place. */
export const isForGood = (error: unknown): error is Refused =>
  error instanceof Refused && [400, 413, 415, 422].includes(error.status);

/** Neither side may keep the bridge waiting for longer. */
const timeoutMs = 60_000;

/** Parsed JSON of a party whose interface is the contract. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names what the other side promises
export const parse = <T>(text: string): T =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the interface of the other side is the contract
  JSON.parse(text) as T;

/** Handset says `{status: {message}}` or `{error: {message}}`; Chatwoot `{message}` or `{error}`. */
interface Refusal {
  readonly message?: unknown;
  readonly error?: unknown;
  readonly status?: unknown;
}

const messageIn = (part: unknown): unknown =>
  typeof part === 'object' && part !== null ? Reflect.get(part, 'message') : part;

const reasonIn = (text: string): string => {
  try {
    const { message, error, status } = parse<Refusal>(text);
    const reason = [message, messageIn(error), messageIn(status)].find((one) => typeof one === 'string' && one !== '');
    if (typeof reason === 'string') return reason;
  } catch {
    // No JSON: a page of a proxy.
  }
  return 'no reason given';
};

/** Throws a `Refused` where the answer is not a 2xx. */
export const checked = async (response: Response): Promise<Response> => {
  if (response.ok) return response;
  throw new Refused(response.status, reasonIn(await response.text()));
};

/** Sends JSON and answers JSON; null for an empty answer. */
export const callJson = async <T>(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<T> => {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await (await checked(response)).text();
  return parse<T>(text === '' ? 'null' : text);
};
