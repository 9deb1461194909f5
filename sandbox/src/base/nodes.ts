/** Reading and making binary nodes, the XML-like stanzas of the protocol. */
import { timingSafeEqual } from 'node:crypto';
import type { BinaryNode } from 'baileys';

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b);

export const SERVER = '@s.whatsapp.net';

export const childrenOf = (node: BinaryNode | undefined): readonly BinaryNode[] =>
  node !== undefined && Array.isArray(node.content) ? node.content : [];

export const childOf = (node: BinaryNode | undefined, tag: string): BinaryNode | undefined =>
  childrenOf(node).find((child) => child.tag === tag);

/** Of a leaf node. Short contents may have been decoded as text. */
export const bytesOf = (node: BinaryNode | undefined): Uint8Array | null => {
  const content = node?.content;
  if (content instanceof Uint8Array) return content;
  return typeof content === 'string' ? Buffer.from(content, 'utf8') : null;
};

export const textOf = (node: BinaryNode | undefined): string | null => {
  const bytes = bytesOf(node);
  return bytes === null ? null : Buffer.from(bytes).toString('utf8');
};

/** A big-endian unsigned integer. */
export const uintOf = (bytes: Uint8Array): number => bytes.reduce((value, byte) => value * 256 + byte, 0);

export const uintBytes = (value: number, length: number): Uint8Array => {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(value, 0, length);
  return bytes;
};

export const element = (
  tag: string,
  attrs: Record<string, string> = {},
  content?: BinaryNode[] | string | Uint8Array,
): BinaryNode => (content === undefined ? { tag, attrs } : { tag, attrs, content });

export const resultOf = (iq: BinaryNode, content?: BinaryNode[]): BinaryNode =>
  element('iq', { from: iq.attrs['to'] ?? SERVER, type: 'result', id: iq.attrs['id'] ?? '' }, content);

export const errorOf = (iq: BinaryNode, code: number, text: string): BinaryNode =>
  element('iq', { from: iq.attrs['to'] ?? SERVER, type: 'error', id: iq.attrs['id'] ?? '' }, [
    element('error', { code: String(code), text }),
  ]);
