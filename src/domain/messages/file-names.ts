/** File names: given by callers, or found in headers, URLs and messages. */
import { invalidRequest } from '../../errors.ts';
import { isVisible } from '../visible.ts';

const maxNameBytes = 255;
const maxLooked = 4_096;
const maxExtension = 20;

/** Control characters, and those that change the text direction and could hide the extension. */
const hidden = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const allHidden = new RegExp(hidden, 'gu');

export const checkFileName = (name: string): void => {
  if (!isVisible(name) || name === '.' || name === '..') throw invalidRequest('fileName must be the name of a file');
  if (/[/\\]/.test(name)) throw invalidRequest('fileName must be a name without a path: no "/" and no "\\"');
  if (hidden.test(name)) throw invalidRequest('fileName must have no control characters');
  if (Buffer.byteLength(name) > maxNameBytes)
    throw invalidRequest(`fileName must be at most ${maxNameBytes} bytes of UTF-8`);
};

export const splitName = (name: string): readonly [stem: string, extension: string] => {
  const dot = name.lastIndexOf('.');
  return dot <= 0 || name.length - dot > maxExtension ? [name, ''] : [name.slice(0, dot), name.slice(dot)];
};

const fitting = (name: string): string => {
  if (Buffer.byteLength(name) <= maxNameBytes) return name;
  const [stem, extension] = splitName(name);
  const { read } = new TextEncoder().encodeInto(stem, new Uint8Array(maxNameBytes - Buffer.byteLength(extension)));
  return stem.slice(0, read) + extension;
};

/** Valid on every system: at most 255 bytes, with its extension. Null if nothing is left. */
export const asFileName = (text: string): string | null => {
  const plain = text.slice(-maxLooked).toWellFormed().replace(allHidden, '').replaceAll(/[/\\]/g, '_').trim();
  const name = fitting(plain);
  return isVisible(name) && !/^[._]+$/.test(name) ? name : null;
};

const lastPart = (path: string): string => path.split(/[/\\]/).at(-1) ?? '';

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

export const nameInUrl = (url: string): string | null => {
  if (!URL.canParse(url)) return null;
  return asFileName(lastPart(decoded(lastPart(new URL(url).pathname))));
};

const asUtf8 = (text: string): string => {
  // oxlint-disable-next-line no-control-regex
  if (!/^[\0-\xff]*$/.test(text)) return text;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'latin1'));
  } catch {
    return text;
  }
};

const extended = /(?:^|;)\s*filename\*\s*=\s*"?([\w-]{1,20})'[^';]{0,20}'([^;"\s]+)/i;
const quoted = /(?:^|;)\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i;
const bare = /(?:^|;)\s*filename\s*=\s*([^";\s][^;]*)/i;

const extendedName = (charset: string, coded: string): string =>
  charset.toLowerCase() === 'utf-8'
    ? decoded(coded)
    : coded.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** `filename*` (RFC 8187) before `filename` (RFC 6266); null if absent. */
export const nameInDisposition = (header: string | null): string | null => {
  const text = header?.slice(0, maxLooked) ?? '';
  const [, charset, coded] = extended.exec(text) ?? [];
  if (charset !== undefined && coded !== undefined) return asFileName(lastPart(extendedName(charset, coded)));
  const plain = quoted.exec(text)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? bare.exec(text)?.[1];
  // Browsers decode percent signs here too, and servers rely on it.
  return plain === undefined ? null : asFileName(lastPart(decoded(asUtf8(plain.trim()))));
};
