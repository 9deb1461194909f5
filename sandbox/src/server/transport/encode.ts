/** Binary nodes as bytes, as the network's apps write them: words from a dictionary, numbers and ids packed, addresses in parts. */
import type { BinaryNode } from 'baileys';
import { DOUBLE_BYTE_TOKENS, SINGLE_BYTE_TOKENS, TAGS } from 'baileys/lib/WABinary/constants.js';

/** One byte each, or two where the first names a further dictionary. */
const tokens = new Map<string, number>();
for (const [dictionary, words] of DOUBLE_BYTE_TOKENS.entries()) {
  for (const [index, word] of words.entries()) tokens.set(word, ((TAGS.DICTIONARY_0 + dictionary) << 8) | index);
}
for (const [index, word] of SINGLE_BYTE_TOKENS.entries()) if (word) tokens.set(word, index);

/** What the servers of addresses are called; anything else with an `@` is a text. */
const domains: ReadonlyMap<string, number> = new Map([
  ['s.whatsapp.net', 0],
  ['lid', 1],
  ['hosted', 128],
  ['hosted.lid', 129],
  ['g.us', 0],
  ['c.us', 0],
  ['broadcast', 0],
  ['call', 0],
  ['newsletter', 0],
]);

const NO_DIGIT = 255;
/** The four bits that a character is packed as, by its code: digits, `-` and `.`; or hex digits. */
const nibbles = new Uint8Array(128).fill(NO_DIGIT);
const hexes = new Uint8Array(128).fill(NO_DIGIT);
for (const [value, code] of Buffer.from('0123456789-.').entries()) nibbles[code] = value;
for (const [value, code] of Buffer.from('0123456789ABCDEF').entries()) hexes[code] = value;
const FILLER = 15;

/** Where nodes are written; whoever takes the bytes has to be done with them before the next one. */
let out = Buffer.allocUnsafeSlow(65_536);
let at = 0;

const reserve = (bytes: number): void => {
  if (at + bytes <= out.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(out.length * 2, at + bytes));
  out.copy(larger, 0, 0, at);
  out = larger;
};

const putLength = (length: number): void => {
  if (length < 256) {
    out[at++] = TAGS.BINARY_8;
    out[at++] = length;
  } else if (length < 1 << 20) {
    out[at++] = TAGS.BINARY_20;
    at = out.writeUIntBE(length, at, 3);
  } else {
    out[at++] = TAGS.BINARY_32;
    at = out.writeUInt32BE(length, at);
  }
};

const putBytes = (bytes: Uint8Array): void => {
  reserve(bytes.length + 5);
  putLength(bytes.length);
  out.set(bytes, at);
  at += bytes.length;
};

/** False, with nothing written, where a character is none of the digits. */
const putPacked = (text: string, tag: number, digits: Uint8Array): boolean => {
  const start = at;
  at += 2;
  for (let index = 0; index < text.length; index += 2) {
    const high = digits[text.charCodeAt(index)] ?? NO_DIGIT;
    const low = index + 1 < text.length ? (digits[text.charCodeAt(index + 1)] ?? NO_DIGIT) : FILLER;
    if (high === NO_DIGIT || low === NO_DIGIT) {
      at = start;
      return false;
    }
    out[at++] = (high << 4) | low;
  }
  out[start] = tag;
  out[start + 1] = (at - start - 2) | (text.length % 2 === 0 ? 0 : 128);
  return true;
};

/** False, with nothing written, where the text is no address. */
const putNewAddress = (text: string): boolean => {
  const sign = text.indexOf('@');
  if (sign < 0) return false;
  const server = text.slice(sign + 1);
  const domain = domains.get(server);
  if (domain === undefined) return false;
  const colon = text.indexOf(':');
  if (colon < 0) {
    out[at++] = TAGS.JID_PAIR;
    if (sign === 0) out[at++] = TAGS.LIST_EMPTY;
    else putText(text.slice(0, sign));
    putText(server);
    return true;
  }
  const device = Number(text.slice(colon + 1, sign));
  if (colon > sign || !Number.isInteger(device) || device > 255) return false;
  out[at++] = TAGS.AD_JID;
  out[at++] = domain;
  out[at++] = device;
  putText(text.slice(0, colon));
  return true;
};

/** Addresses as they are written, since the same few come over and over. */
const known = new Map<string, Uint8Array>();
const MOST_KNOWN = 20_000;

/** False, with nothing written, where the text is no address. */
const putAddress = (text: string): boolean => {
  const written = known.get(text);
  if (written !== undefined) {
    out.set(written, at);
    at += written.length;
    return true;
  }
  const start = at;
  if (!putNewAddress(text)) return false;
  if (known.size === MOST_KNOWN) known.clear();
  known.set(text, Uint8Array.from(out.subarray(start, at)));
  return true;
};

/** The words that stanzas here are made of: a few dozen, which are found sooner than among all. */
const used = new Map<string, number>();

const tokenOf = (text: string): number | undefined => {
  const before = used.get(text);
  if (before !== undefined) return before;
  const token = tokens.get(text);
  if (token !== undefined) used.set(text, token);
  return token;
};

const putText = (text: string): void => {
  reserve(text.length * 3 + 8);
  const token = tokenOf(text);
  if (token !== undefined) {
    if (token > 255) out[at++] = token >> 8;
    out[at++] = token & 255;
    return;
  }
  if (text.includes('@')) {
    if (putAddress(text)) return;
  } else if (text !== '' && text.length <= TAGS.PACKED_MAX) {
    if (putPacked(text, TAGS.NIBBLE_8, nibbles) || putPacked(text, TAGS.HEX_8, hexes)) return;
  }
  const length = Buffer.byteLength(text);
  putLength(length);
  at += out.write(text, at, length);
};

/** Numbers among the words have four digits at most. */
const LONGEST_NUMBER = 4;

/** Most ids and all times are digits, and who speaks is an address: none of them is looked for among the words. */
const putValue = (name: string, text: string): void => {
  if (text.length > LONGEST_NUMBER && text.length <= TAGS.PACKED_MAX) {
    reserve(text.length * 3 + 8);
    if (name === 'id' && (putPacked(text, TAGS.NIBBLE_8, nibbles) || putPacked(text, TAGS.HEX_8, hexes))) return;
    if (name === 't' && putPacked(text, TAGS.NIBBLE_8, nibbles)) return;
    if (name === 'from' && putAddress(text)) return;
  }
  putText(text);
};

const putListStart = (size: number): void => {
  reserve(3);
  if (size === 0) out[at++] = TAGS.LIST_EMPTY;
  else if (size < 256) {
    out[at++] = TAGS.LIST_8;
    out[at++] = size;
  } else {
    out[at++] = TAGS.LIST_16;
    at = out.writeUInt16BE(size, at);
  }
};

const putNode = ({ tag, attrs, content }: BinaryNode): void => {
  const names = Object.keys(attrs);
  let size = 1 + (content === undefined ? 0 : 1);
  for (const name of names) if (attrs[name] !== undefined) size += 2;
  putListStart(size);
  putText(tag);
  for (const name of names) {
    const value = attrs[name];
    if (value === undefined) continue;
    putText(name);
    putValue(name, value);
  }
  if (typeof content === 'string') putText(content);
  else if (content instanceof Uint8Array) putBytes(content);
  else if (content !== undefined) {
    putListStart(content.length);
    for (const child of content) putNode(child);
  }
};

/** A view that lasts until the next call. The first byte says that nothing is compressed. */
export const encode = (node: BinaryNode): Buffer => {
  at = 0;
  out[at++] = 0;
  putNode(node);
  return out.subarray(0, at);
};
