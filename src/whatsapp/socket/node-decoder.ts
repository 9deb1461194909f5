/** Decodes stanzas: no closures per node, and packed digits from a table. */
import { inflateSync } from 'node:zlib';
import { DOUBLE_BYTE_TOKENS, SINGLE_BYTE_TOKENS, TAGS } from '../library/dictionary.ts';
import { jidEncode, type JidServer } from '../library/jid.ts';
import type { BinaryNode } from '../library/nodes.ts';
import { maxFrame } from './frames.ts';

const compressed = 2;
/** Server by its number in a JID with a device. */
const servers: Readonly<Record<number, JidServer>> = { 1: 'lid', 128: 'hosted', 129: 'hosted.lid' };
const usualServer: JidServer = 's.whatsapp.net';

const pairsOf = (halves: string): readonly (string | undefined)[] =>
  Array.from({ length: 256 }, (_, byte) => {
    const [first, second] = [halves[byte >> 4], halves[byte & 15]];
    return first === '?' || second === '?' ? undefined : `${first}${second}`;
  });
const nibblePairs = pairsOf('0123456789-.???\0');
const hexPairs = pairsOf('0123456789ABCDEF');

const noBytes = Buffer.alloc(0);
const unpacked = { maxOutputLength: maxFrame };
/** Of a stanza, with those in it: more than a frame of the network's own can hold. A node of three bytes takes some two hundred in memory. */
const maxNodes = 1_000_000;

class Reader {
  #bytes: Buffer = noBytes;
  #at = 0;
  #nodes = 0;

  /** Throws if it is not a stanza. */
  decode(bytes: Buffer): BinaryNode {
    const first = bytes[0];
    if (first === undefined) throw new Error('A frame without a stanza');
    // The first byte tells whether the stanza is compressed.
    const isPacked = (first & compressed) !== 0;
    this.#bytes = isPacked ? inflateSync(bytes.subarray(1), unpacked) : bytes;
    this.#at = isPacked ? 0 : 1;
    this.#nodes = 0;
    try {
      return this.#node();
    } finally {
      this.#bytes = noBytes;
    }
  }

  #node(): BinaryNode {
    const size = this.#listSize(this.#byte());
    const tag = this.#string(this.#byte());
    if (size === 0 || tag === '') throw new Error('A stanza without a tag');
    this.#nodes += 1;
    if (this.#nodes > maxNodes) throw new Error('A stanza of too many nodes');
    const attrs: Record<string, string> = {};
    for (let left = (size - 1) >> 1; left > 0; left -= 1) {
      const name = this.#string(this.#byte());
      attrs[name] = this.#string(this.#byte());
    }
    const content = size % 2 === 0 ? this.#content() : undefined;
    // Present even without content, as the library's nodes have it.
    return { tag, attrs, content: content! };
  }

  #content(): BinaryNode['content'] {
    const tag = this.#byte();
    switch (tag) {
      case TAGS.LIST_EMPTY:
      case TAGS.LIST_8:
      case TAGS.LIST_16: {
        const nodes: BinaryNode[] = [];
        for (let left = this.#listSize(tag); left > 0; left -= 1) nodes.push(this.#node());
        return nodes;
      }
      case TAGS.BINARY_8:
      case TAGS.BINARY_20:
      case TAGS.BINARY_32: {
        const begin = this.#skip(this.#length(tag));
        return this.#bytes.subarray(begin, this.#at);
      }
      default:
        return this.#string(tag);
    }
  }

  #string(tag: number): string {
    if (tag >= 1 && tag < SINGLE_BYTE_TOKENS.length) return SINGLE_BYTE_TOKENS[tag] || '';
    switch (tag) {
      case TAGS.DICTIONARY_0:
      case TAGS.DICTIONARY_1:
      case TAGS.DICTIONARY_2:
      case TAGS.DICTIONARY_3: {
        const token = DOUBLE_BYTE_TOKENS[tag - TAGS.DICTIONARY_0]?.[this.#byte()];
        if (token === undefined) throw new Error('Unknown token');
        return token;
      }
      case TAGS.LIST_EMPTY:
        return '';
      case TAGS.BINARY_8:
      case TAGS.BINARY_20:
      case TAGS.BINARY_32: {
        const begin = this.#skip(this.#length(tag));
        return this.#bytes.toString('utf8', begin, this.#at);
      }
      case TAGS.NIBBLE_8:
        return this.#packed(nibblePairs);
      case TAGS.HEX_8:
        return this.#packed(hexPairs);
      default:
        return this.#jid(tag);
    }
  }

  #jid(tag: number): string {
    switch (tag) {
      case TAGS.JID_PAIR: {
        const user = this.#string(this.#byte());
        const pair = this.#string(this.#byte());
        if (pair === '') throw new Error('A JID without a server');
        return `${user}@${pair}`;
      }
      case TAGS.AD_JID: {
        const server = servers[this.#byte()] ?? usualServer;
        const device = this.#byte();
        return jidEncode(this.#string(this.#byte()), server, device);
      }
      case TAGS.FB_JID: {
        const user = this.#string(this.#byte());
        const device = this.#number(2);
        return `${user}:${device}@${this.#string(this.#byte())}`;
      }
      case TAGS.INTEROP_JID: {
        const user = this.#string(this.#byte());
        const device = this.#number(2);
        const integrator = this.#number(2);
        return `${integrator}-${user}:${device}@${this.#interopServer()}`;
      }
      default:
        throw new Error(`Unknown kind of string: ${tag}`);
    }
  }

  #interopServer(): string {
    const before = this.#at;
    try {
      return this.#string(this.#byte());
    } catch {
      this.#at = before;
      return 'interop';
    }
  }

  #packed(pairs: readonly (string | undefined)[]): string {
    const head = this.#byte();
    let text = '';
    for (let left = head & 127; left > 0; left -= 1) {
      const pair = pairs[this.#byte()];
      if (pair === undefined) throw new Error('Unknown digit');
      text += pair;
    }
    return head > 127 ? text.slice(0, -1) : text;
  }

  #listSize(tag: number): number {
    switch (tag) {
      case TAGS.LIST_EMPTY:
        return 0;
      case TAGS.LIST_8:
        return this.#byte();
      case TAGS.LIST_16:
        return this.#number(2);
      default:
        throw new Error(`Unknown kind of list: ${tag}`);
    }
  }

  #length(tag: number): number {
    if (tag === TAGS.BINARY_8) return this.#byte();
    // The upper half of the first of three bytes is unused.
    return tag === TAGS.BINARY_20 ? this.#number(3) & 0xf_ffff : this.#number(4);
  }

  #number(bytes: number): number {
    const begin = this.#skip(bytes);
    return this.#bytes.readUIntBE(begin, bytes);
  }

  #byte(): number {
    const value = this.#bytes[this.#at++];
    if (value === undefined) throw new Error('The stanza ends too early');
    return value;
  }

  #skip(length: number): number {
    const begin = this.#at;
    if (length > this.#bytes.length - begin) throw new Error('The stanza ends too early');
    this.#at += length;
    return begin;
  }
}

export const nodeReader = new Reader();
