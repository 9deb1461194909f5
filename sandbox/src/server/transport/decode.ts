/** Binary nodes read from bytes. Contents are views of the bytes given. */
import type { BinaryNode } from 'baileys';
import { DOUBLE_BYTE_TOKENS, SINGLE_BYTE_TOKENS, TAGS } from 'baileys/lib/WABinary/constants.js';

/** The characters that four bits stand for. */
const nibbles = Buffer.from('0123456789-.\0\0\0\0');
const hexes = Buffer.from('0123456789ABCDEF');

const servers: ReadonlyMap<number, string> = new Map([
  [1, 'lid'],
  [128, 'hosted'],
  [129, 'hosted.lid'],
]);

/** What is read, and up to where. One for all: a node is read in one go. */
let bytes: Buffer = Buffer.alloc(0);
let at = 0;

const readByte = (): number => {
  const byte = bytes[at];
  if (byte === undefined) throw new Error('a node that ends too early');
  at += 1;
  return byte;
};

const readNumber = (length: number): number => {
  let value = 0;
  for (let index = 0; index < length; index += 1) value = value * 256 + readByte();
  return value;
};

const readBytes = (length: number): Buffer => {
  if (at + length > bytes.length) throw new Error('a node that ends too early');
  at += length;
  return bytes.subarray(at - length, at);
};

const readRaw = (length: number): string => {
  if (at + length > bytes.length) throw new Error('a node that ends too early');
  at += length;
  return bytes.toString('utf8', at - length, at);
};

/** Of a packed text, which has 254 at most. */
const characters = Buffer.alloc(256);

/** In one piece: a text of many parts would be put together when it is first looked at. */
const readPacked = (digits: Uint8Array): string => {
  const head = readByte();
  let length = 0;
  for (let left = head & 127; left > 0; left -= 1) {
    const byte = readByte();
    characters[length] = digits[byte >> 4]!;
    characters[length + 1] = digits[byte & 15]!;
    length += 2;
  }
  return characters.toString('latin1', 0, head > 127 ? length - 1 : length);
};

const readToken = (dictionary: number): string => {
  const token = DOUBLE_BYTE_TOKENS[dictionary]?.[readByte()];
  if (token === undefined) throw new Error('a word that is in no dictionary');
  return token;
};

const readNewAddress = (): string => {
  const user = readText(readByte());
  return `${user}@${readText(readByte())}`;
};

const readNewDeviceAddress = (): string => {
  const server = servers.get(readByte()) ?? 's.whatsapp.net';
  const device = readByte();
  const user = readText(readByte());
  return device === 0 ? `${user}@${server}` : `${user}:${device}@${server}`;
};

interface KnownAddress {
  readonly text: string;
  readonly bytes: Uint8Array;
}

/** Addresses of people as they were written before, by a hash of their bytes: the same few come over and over. */
const known: (KnownAddress | undefined)[] = Array.from({ length: 8192 });

/** An address with packed digits, whose bytes end at `end`. */
const readKnown = (end: number, read: () => string): string => {
  if (end > bytes.length) return read();
  let hash = 0;
  for (let index = at; index < end; index += 1) hash = (Math.imul(hash, 31) + bytes[index]!) | 0;
  const place = (hash ^ (hash >>> 13)) & (known.length - 1);
  const before = known[place];
  if (before?.bytes.length === end - at) {
    let same = 0;
    while (at + same < end && before.bytes[same] === bytes[at + same]) same += 1;
    if (at + same === end) {
      at = end;
      return before.text;
    }
  }
  const start = at;
  const text = read();
  if (at === end) known[place] = { text, bytes: Uint8Array.from(bytes.subarray(start, end)) };
  return text;
};

/** Digits, and a server that is one word. */
const readAddress = (): string => {
  if (bytes[at] !== TAGS.NIBBLE_8) return readNewAddress();
  return readKnown(at + 3 + ((bytes[at + 1] ?? 0) & 127), readNewAddress);
};

/** Server, device, and digits. */
const readDeviceAddress = (): string => {
  if (bytes[at + 2] !== TAGS.NIBBLE_8) return readNewDeviceAddress();
  return readKnown(at + 4 + ((bytes[at + 3] ?? 0) & 127), readNewDeviceAddress);
};

const readText = (tag: number): string => {
  if (tag > 0 && tag < SINGLE_BYTE_TOKENS.length) return SINGLE_BYTE_TOKENS[tag] ?? '';
  switch (tag) {
    case TAGS.LIST_EMPTY:
      return '';
    case TAGS.DICTIONARY_0:
    case TAGS.DICTIONARY_1:
    case TAGS.DICTIONARY_2:
    case TAGS.DICTIONARY_3:
      return readToken(tag - TAGS.DICTIONARY_0);
    case TAGS.BINARY_8:
      return readRaw(readByte());
    case TAGS.BINARY_20:
      return readRaw(readNumber(3) & 0xf_ffff);
    case TAGS.BINARY_32:
      return readRaw(readNumber(4));
    case TAGS.JID_PAIR:
      return readAddress();
    case TAGS.AD_JID:
      return readDeviceAddress();
    case TAGS.HEX_8:
      return readPacked(hexes);
    case TAGS.NIBBLE_8:
      return readPacked(nibbles);
    default:
      throw new Error(`a text of the unknown kind ${tag}`);
  }
};

/** -1 where no list begins with the tag. */
const readListSize = (tag: number): number => {
  if (tag === TAGS.LIST_8) return readByte();
  if (tag === TAGS.LIST_16) return readNumber(2);
  return tag === TAGS.LIST_EMPTY ? 0 : -1;
};

const readNodes = (size: number): BinaryNode[] => {
  const nodes: BinaryNode[] = [];
  for (let left = size; left > 0; left -= 1) nodes.push(readNode());
  return nodes;
};

const readContent = (): BinaryNode[] | Uint8Array | string => {
  const tag = readByte();
  const size = readListSize(tag);
  if (size >= 0) return readNodes(size);
  switch (tag) {
    case TAGS.BINARY_8:
      return readBytes(readByte());
    case TAGS.BINARY_20:
      return readBytes(readNumber(3) & 0xf_ffff);
    case TAGS.BINARY_32:
      return readBytes(readNumber(4));
    default:
      return readText(tag);
  }
};

const readNode = (): BinaryNode => {
  const size = readListSize(readByte());
  const tag = size > 0 ? readText(readByte()) : '';
  if (tag === '') throw new Error('a node without a tag');
  const attrs: BinaryNode['attrs'] = {};
  for (let left = (size - 1) >> 1; left > 0; left -= 1) {
    const name = readText(readByte());
    attrs[name] = readText(readByte());
  }
  return size % 2 === 0 ? { tag, attrs, content: readContent() } : { tag, attrs };
};

export const decodeNode = (given: Buffer): BinaryNode => {
  bytes = given;
  at = 0;
  return readNode();
};
