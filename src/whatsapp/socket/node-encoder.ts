/** Encodes stanzas into one buffer, without an array of numbers. */
import { TAGS, TOKEN_MAP } from '../library/dictionary.ts';
import { jidDecode } from '../library/jid.ts';
import type { BinaryNode } from '../library/nodes.ts';

const firstSize = 4096;

interface Token {
  readonly dict?: number;
  readonly index: number;
}

const tokens: ReadonlyMap<string, Token> = new Map(Object.entries(TOKEN_MAP));

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

const packingOf = (text: string): 'nibble' | 'hex' | null => {
  if (text.length > TAGS.PACKED_MAX) return null;
  let nibble = true;
  let hex = true;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (isDigit(code)) continue;
    if (code !== 45 && code !== 46) nibble = false;
    if (code < 65 || code > 70) hex = false;
    if (!nibble && !hex) return null;
  }
  return nibble ? 'nibble' : 'hex';
};

const halves = new Uint8Array(128);
for (const text of ['0123456789-.', '0123456789ABCDEF']) {
  for (let half = 0; half < text.length; half += 1) halves[text.charCodeAt(half)] = half;
}

class Writer {
  #bytes = Buffer.allocUnsafe(firstSize);
  #at = 0;

  encode(node: BinaryNode): Buffer {
    this.#at = 1;
    if (this.#bytes.length > 16 * firstSize) this.#bytes = Buffer.allocUnsafe(firstSize);
    this.#bytes[0] = 0;
    this.node(node);
    return Buffer.from(this.#bytes.subarray(0, this.#at));
  }

  node({ tag, attrs, content }: BinaryNode): void {
    const names = Object.keys(attrs);
    let count = 0;
    for (const name of names) if (typeof attrs[name] === 'string') count += 1;
    this.list(2 * count + 1 + (content === undefined ? 0 : 1));
    this.string(tag);
    for (const name of names) {
      const value: unknown = attrs[name];
      if (typeof value !== 'string') continue;
      this.string(name);
      this.string(value);
    }
    if (typeof content === 'string') this.string(content);
    else if (Array.isArray(content)) {
      this.list(content.length);
      for (const child of content) this.node(child);
    } else if (content !== undefined) {
      this.length(content.length);
      this.#room(content.length);
      this.#bytes.set(content, this.#at);
      this.#at += content.length;
    }
  }

  byte(value: number): void {
    this.#room(1);
    this.#bytes[this.#at++] = value;
  }

  length(length: number): void {
    this.#room(5);
    if (length >= 1 << 20) {
      this.#bytes[this.#at++] = TAGS.BINARY_32;
      this.#at = this.#bytes.writeUInt32BE(length, this.#at);
    } else if (length >= 256) {
      this.#bytes[this.#at++] = TAGS.BINARY_20;
      this.#at = this.#bytes.writeUIntBE(length, this.#at, 3);
    } else {
      this.#bytes[this.#at++] = TAGS.BINARY_8;
      this.#bytes[this.#at++] = length;
    }
  }

  list(size: number): void {
    this.#room(3);
    if (size === 0) this.#bytes[this.#at++] = TAGS.LIST_EMPTY;
    else if (size < 256) {
      this.#bytes[this.#at++] = TAGS.LIST_8;
      this.#bytes[this.#at++] = size;
    } else {
      this.#bytes[this.#at++] = TAGS.LIST_16;
      this.#at = this.#bytes.writeUInt16BE(size, this.#at);
    }
  }

  string(text: string): void {
    if (text === '') return this.#raw(text);
    const token = tokens.get(text);
    if (token !== undefined) {
      if (token.dict !== undefined) this.byte(TAGS.DICTIONARY_0 + token.dict);
      this.byte(token.index);
      return;
    }
    const packing = packingOf(text);
    if (packing !== null) this.#packed(text, packing);
    else if (!text.includes('@') || !this.#jid(text)) this.#raw(text);
  }

  #jid(text: string): boolean {
    const jid = jidDecode(text);
    if (jid === undefined) return false;
    if (jid.device !== undefined) {
      this.byte(TAGS.AD_JID);
      this.byte(jid.domainType ?? 0);
      this.byte(jid.device);
      this.string(jid.user);
    } else {
      this.byte(TAGS.JID_PAIR);
      if (jid.user === '') this.byte(TAGS.LIST_EMPTY);
      else this.string(jid.user);
      this.string(jid.server);
    }
    return true;
  }

  #packed(text: string, packing: 'nibble' | 'hex'): void {
    const odd = text.length % 2;
    this.#room(2 + text.length);
    this.#bytes[this.#at++] = packing === 'nibble' ? TAGS.NIBBLE_8 : TAGS.HEX_8;
    this.#bytes[this.#at++] = ((text.length + odd) / 2) | (odd << 7);
    for (let index = 0; index + 1 < text.length; index += 2) {
      this.#bytes[this.#at++] = (halves[text.charCodeAt(index)]! << 4) | halves[text.charCodeAt(index + 1)]!;
    }
    if (odd === 1) this.#bytes[this.#at++] = (halves[text.charCodeAt(text.length - 1)]! << 4) | 15;
  }

  #raw(text: string): void {
    const length = Buffer.byteLength(text);
    this.length(length);
    this.#room(length);
    this.#at += this.#bytes.write(text, this.#at);
  }

  #room(size: number): void {
    if (this.#at + size <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#at + size));
    larger.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = larger;
  }
}

export const nodeWriter = new Writer();
