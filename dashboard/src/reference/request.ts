/** A request as filled in by the reader, for the samples and for sending. */
import {
  type Document,
  type Operation,
  type OperationEntry,
  type Parameter,
  parametersOf,
  successOf,
} from './document.ts';
import type { SampleRequest } from './samples.ts';
import { plainNumbers } from '../base/typed-number.ts';

export interface Filled {
  /** Values by the parameters' names. */
  readonly values: Readonly<Record<string, string>>;
  /** JSON; empty for no body. */
  readonly body: string;
  /** The body of an upload. */
  readonly file: File | null;
  /** The requested response type; empty for the default. */
  readonly accept: string;
}

const streamType = 'text/event-stream';
const binaryType = 'application/octet-stream';

/** File names by response type. */
const fileNames: Readonly<Record<string, string>> = {
  'image/png': 'image.png',
  'image/svg+xml': 'image.svg',
  'image/jpeg': 'image.jpg',
  '*/*': 'file',
};

/** The response types of an operation. */
export const answersOf = (document: Document, operation: Operation): readonly string[] =>
  Object.keys(successOf(document, operation).content ?? {});

export const exampleOf = ({ name, example, schema }: Parameter): string =>
  name === 'id' ? '1' : String(example ?? schema.examples?.[0] ?? '');

export const takesFile = ({ operation }: OperationEntry): boolean =>
  operation.requestBody?.content[binaryType] !== undefined;

/** The example bodies by name. */
export const bodiesOf = ({ operation }: OperationEntry): readonly (readonly [name: string, text: string])[] =>
  Object.entries(operation.requestBody?.content['application/json']?.examples ?? {}).map(([name, { value }]) => [
    name,
    JSON.stringify(value, null, 2),
  ]);

export const startWith = (entry: OperationEntry): Filled => ({
  values: {},
  body: bodiesOf(entry)[0]?.[1] ?? '',
  file: null,
  accept: '',
});

/** `value` of each parameter in `place`, without empty ones. */
const valuesIn = (
  parameters: readonly Parameter[],
  place: Parameter['in'],
  value: (parameter: Parameter) => string,
): readonly (readonly [string, string])[] =>
  parameters
    .filter((parameter) => parameter.in === place)
    .map((parameter) => [parameter.name, value(parameter)] as const)
    .filter(([, text]) => text !== '');

interface Target {
  /** The path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

const targetOf = (
  document: Document,
  { path, operation }: OperationEntry,
  chosen: string,
  value: (parameter: Parameter) => string,
): Target => {
  const parameters = parametersOf(document, operation);
  const filled = valuesIn(parameters, 'path', value).reduce(
    (text, [name, part]) => text.replace(`{${name}}`, encodeURIComponent(part)),
    path,
  );
  const query = valuesIn(parameters, 'query', value)
    .map(([name, part]) => `${name}=${encodeURIComponent(part)}`)
    .join('&');
  const headers = Object.fromEntries(valuesIn(parameters, 'header', value));
  // If an operation only streams, the stream has to be requested.
  const accept = chosen === '' && answersOf(document, operation)[0] === streamType ? streamType : chosen;
  return {
    path: query === '' ? filled : `${filled}?${query}`,
    headers: { ...headers, ...(accept !== '' && { Accept: accept }) },
  };
};

/** The variable of its key: a user's, the operator's, or none. */
export const keyVariableOf = ({ operation: { security } }: OperationEntry): string | null => {
  if (security === undefined) return 'HANDSET_KEY';
  return security.some((scheme) => 'operator' in scheme) ? 'HANDSET_ADMIN_TOKEN' : null;
};

/** Null if it is not JSON. */
export const parsed = (text: string): { readonly value: unknown } | null => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
};

const shownAs = (type: string): SampleRequest['answer'] => {
  if (type === streamType) return 'stream';
  const file = fileNames[type];
  if (file !== undefined) return { file };
  return type === 'application/json' ? 'json' : 'text';
};

const membersIn = (body: unknown): Readonly<Record<string, unknown>> =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body } : {};

const callOf = (
  { operation: { 'x-client': method } }: OperationEntry,
  values: Readonly<Record<string, string>>,
  parameters: readonly Parameter[],
  body: unknown,
): SampleRequest['call'] => {
  if (method === undefined) return null;
  const ofPlace = (wanted: (place: Parameter['in']) => boolean): Readonly<Record<string, unknown>> =>
    Object.fromEntries(
      parameters
        .filter(({ name, in: place }) => wanted(place) && values[name] !== undefined)
        .map(({ name, schema }) => {
          const text = values[name] ?? '';
          return [name, schema.type === 'integer' && /^\d+$/.test(text) ? Number(text) : text];
        }),
    );
  const { 'Idempotency-Key': idempotencyKey, ...headers } = ofPlace((place) => place === 'header');
  return {
    method,
    given: { ...ofPlace((place) => place !== 'header'), ...membersIn(body) },
    options: {
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(Object.keys(headers).length > 0 && { headers }),
    },
  };
};

/** Null if something is given that is no positional: options have names of their own. */
const commandOf = (
  { operation: { 'x-command': usage } }: OperationEntry,
  values: Readonly<Record<string, string>>,
  body: unknown,
): readonly string[] | null => {
  if (usage === undefined) return null;
  const left = new Map<string, unknown>(Object.entries({ ...values, ...membersIn(body) }));
  const words: string[] = [];
  for (const word of usage.split(' ')) {
    const name = word.slice(1, -1);
    const names = name === 'device' ? ['id', 'deviceId'] : [name, `${name}Id`, ...(name === 'to' ? ['toNumber'] : [])];
    const found = names.find((one) => left.has(one));
    const value = found === undefined ? undefined : left.get(found);
    if (found !== undefined) left.delete(found);
    if (!/^[<[]/.test(word)) words.push(word);
    else if (typeof value === 'string' || typeof value === 'number') words.push(String(value));
    else if (word.startsWith('<')) return null;
  }
  return left.size > 0 ? null : words;
};

/** The request as a sample, with examples for what is not filled in. */
export const sampleOf = (document: Document, entry: OperationEntry, filled: Filled, here: string): SampleRequest => {
  const types = answersOf(document, entry.operation);
  const valueOf = (parameter: Parameter): string => {
    const value = filled.values[parameter.name] ?? '';
    return value === '' && parameter.required === true ? exampleOf(parameter) : value;
  };
  const { path, headers } = targetOf(document, entry, filled.accept, valueOf);
  const parameters = parametersOf(document, entry.operation);
  const values = Object.fromEntries(
    parameters.map((one) => [one.name, valueOf(one)]).filter(([, value]) => value !== ''),
  );
  const body = filled.body.trim() === '' ? undefined : (parsed(filled.body) ?? parsed(startWith(entry).body))?.value;
  return {
    method: entry.method,
    url: (entry.origin === '' ? here : entry.origin) + path,
    headers: takesFile(entry) ? { 'Content-Type': binaryType, ...headers } : headers,
    file: takesFile(entry) ? (filled.file?.name ?? 'document.pdf') : null,
    body,
    call: callOf(entry, values, parameters, body),
    command: commandOf(entry, values, body),
    keyVariable: keyVariableOf(entry),
    answer: shownAs(filled.accept === '' ? (types[0] ?? 'application/json') : filled.accept),
  };
};

/** The body with plain numbers. Anything but an object stays as it is, and the service says why it is wrong. */
const withPlainNumbers = (body: string): string => {
  const value = parsed(body)?.value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return body;
  const plain = JSON.stringify(plainNumbers(value));
  return plain === JSON.stringify(value) ? body : plain;
};

/** The request to this service, as filled in. */
export const requestOf = (
  document: Document,
  entry: OperationEntry,
  filled: Filled,
  credentials: Readonly<Record<string, string>> | null,
): readonly [path: string, init: RequestInit] => {
  const values: Readonly<Record<string, unknown>> = plainNumbers(filled.values);
  const { path, headers } = targetOf(document, entry, filled.accept, ({ name }) => {
    const value = values[name];
    return typeof value === 'string' ? value : '';
  });
  const text = filled.body.trim() === '' ? null : withPlainNumbers(filled.body);
  const body = filled.file ?? text;
  return [
    path,
    {
      method: entry.method,
      headers: {
        ...headers,
        ...(keyVariableOf(entry) !== null && credentials),
        ...(body !== null && { 'Content-Type': filled.file === null ? 'application/json' : binaryType }),
      },
      ...(body !== null && { body }),
    },
  ];
};
