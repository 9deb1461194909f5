/**
 * Recorded traffic of a client as lines that two clients can be compared by. Ids, times, keys, ciphertexts and tokens become
 * placeholders; tags, attributes, their order, and the members of protobufs stay.
 */
import { type BinaryNode, proto } from 'baileys';
import type { Recorded } from '../../sandbox/src/base/recorder.ts';

/** Names for the digits of phone numbers and LIDs. */
export type Names = ReadonlyMap<string, string>;

/** Attributes whose values differ in every run. */
const placeholders: Readonly<Record<string, string>> = {
  t: 'TIME',
  ts: 'TIME',
  timestamp: 'TIME',
  phash: 'HASH',
  dhash: 'HASH',
  session_id: 'ID',
  sid: 'ID',
  'call-id': 'ID',
  creation: 'TIME',
  last: 'TIME',
  key: 'ID',
};

const named = (text: string, names: Names): string =>
  text
    .replaceAll(/\d{6,}(?=(?:_\d+)?(?::\d+)?@)/g, (digits) => names.get(digits) ?? 'DIGITS')
    .replaceAll(/:\d+(?=@)/g, ':N')
    .replaceAll(/\bgroup-?\d+@g\.us|[\w-]+@g\.us/g, 'group@g.us');

const attribute = (name: string, value: string, names: Names): string => {
  if (placeholders[name] !== undefined) return placeholders[name];
  if (value.includes('@')) return named(value, names);
  if (name === 'id' || name.endsWith('_id')) return /^\d{1,3}$/.test(value) ? value : 'ID';
  if (names.has(value)) return names.get(value)!;
  if (/^\d{10,}$/.test(value)) return 'NUMBER';
  if (/^[\w+/=-]{24,}$/.test(value)) return 'TOKEN';
  return value;
};

const isText = (bytes: Uint8Array): boolean => bytes.length > 0 && bytes.every((byte) => byte >= 0x20 && byte < 0x7f);

/** Sizes that say what something is: ids, keys, hashes, signatures. */
const exact = new Set([1, 2, 3, 4, 8, 12, 16, 20, 32, 33, 64]);

const bytesOf = (bytes: Uint8Array): string => (exact.has(bytes.length) ? `<${bytes.length} bytes>` : '<bytes>');

const contentOf = (tag: string, content: string | Uint8Array, names: Names): string => {
  if (tag === 'enc') return '<ciphertext>';
  if (typeof content === 'string') return attribute('', content, names);
  return isText(content) && content.length > 4 && ![32, 33, 64].includes(content.length)
    ? attribute('', Buffer.from(content).toString(), names)
    : bytesOf(content);
};

/** A stanza as XML on one line, equal children counted. */
const stanzaLine = (node: BinaryNode, names: Names): string => {
  const attrs = Object.entries(node.attrs ?? {})
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${attribute(name, value, names)}"`)
    .join('');
  const { content } = node;
  if (content === undefined || content === null) return `<${node.tag}${attrs}/>`;
  if (!Array.isArray(content)) return `<${node.tag}${attrs}>${contentOf(node.tag, content, names)}</${node.tag}>`;
  if (content.length === 0) return `<${node.tag}${attrs}/>`;
  const counts = new Map<string, number>();
  for (const child of content) {
    const line = stanzaLine(child, names);
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  const children = [...counts].map(([line, count]) => (count === 1 ? line : `${count}×${line}`)).join('');
  return `<${node.tag}${attrs}>${children}</${node.tag}>`;
};

const secretMembers = /(?:id|key|secret|hash|sha256|token|path|url|timestamp|ts|thumbnail)$/i;

/** The members of a protobuf in their order. Scalars that differ in every run are placeholders. */
const valueLine = (name: string, value: unknown, names: Names): string => {
  if (value instanceof Uint8Array) return bytesOf(value);
  if (Array.isArray(value)) return `[${value.map((each) => valueLine(name, each, names)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) return objectLine(value, names);
  if (typeof value === 'string') {
    if (value.includes('@')) return named(value, names);
    return secretMembers.test(name) && value !== '' ? 'ID' : JSON.stringify(attribute('', value, names));
  }
  if (typeof value === 'number' && secretMembers.test(name)) return 'NUMBER';
  return String(value);
};

const objectLine = (message: object, names: Names): string => {
  const members = Object.entries(message)
    .filter(([, value]) => value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => `${name}: ${valueLine(name, value, names)}`);
  return `{${members.join(', ')}}`;
};

/** 64-bit integers as strings, enums by name. */
const plain = (type: { toObject(message: never, options: object): object }, message: object): object =>
  type.toObject(message as never, { longs: String, enums: String });

const requestLine = (method: string, path: string, headers: readonly string[]): string => {
  const url = new URL(path, 'https://media');
  const kind = url.pathname.replaceAll(/[\w-]{30,}={0,2}(?:\.enc)?|[^/]*%[^/]*/g, 'TOKEN');
  const query = [...url.searchParams.keys()].join('&');
  const names = headers.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  return `${method} ${kind}${query === '' ? '' : `?${query}`} [${names.join(', ')}]`;
};

/** One line for what the client of the account `client` has said; null for what others have said. */
export const lineOf = (entry: Recorded, client: string, names: Names): string | null => {
  switch (entry.kind) {
    case 'login':
      return entry.number !== client && entry.number !== null
        ? null
        : `login ${objectLine(plain(proto.ClientPayload, entry.payload), names)}`;
    case 'stanza':
      return entry.from === 'client' && (entry.number ?? client) === client ? stanzaLine(entry.node, names) : null;
    case 'message':
      return entry.author !== client ? null : `message ${objectLine(plain(proto.Message, entry.message), names)}`;
    case 'request':
      return requestLine(entry.method, entry.path, entry.headers);
  }
};

export const ping = '<iq id="ID" to="@s.whatsapp.net" type="get" xmlns="w:p"><ping/></iq>';

/** Pings keep a pace of their own, whatever happens meanwhile; time.test.ts counts them. */
export const isNoPing = (line: string): boolean => line !== ping;
