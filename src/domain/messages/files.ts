/** Files that a caller sends: their names and types (docs/spec/messages.md, Send a document). */
import { invalidRequest } from '../../errors.ts';
import type { EncipheredFile } from './media.ts';

/** A file as the caller wants it sent; null: by its bytes, its name or its URL. */
export interface DocumentWish {
  readonly kind: 'document';
  readonly fileName: string | null;
  readonly mimetype: string | null;
}

export type FileWish = DocumentWish;

export interface OutgoingDocument {
  readonly file: EncipheredFile;
  readonly mimetype: string;
  readonly fileName: string;
  /** Pages of a PDF, where they are told in plain text. */
  readonly pageCount: number | null;
  readonly caption: string | null;
}

/** As much as file systems take. */
const maxNameBytes = 255;

/** Control characters, and those that turn the direction of text: they hide what a name ends in. */
const hidden = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Throws InvalidRequest for what is no name of a file on every system. */
export const checkFileName = (name: string): void => {
  if (name.trim() === '' || name === '.' || name === '..') throw invalidRequest('fileName must be the name of a file');
  if (/[/\\]/.test(name)) throw invalidRequest('fileName must be a name without a path: no "/" and no "\\"');
  if (hidden.test(name)) throw invalidRequest('fileName must have no control characters');
  if (Buffer.byteLength(name) > maxNameBytes)
    throw invalidRequest(`fileName must be at most ${maxNameBytes} bytes of UTF-8`);
};

/** The last part of a URL's path, if it can be a name. */
export const fileNameIn = (url: string): string | null => {
  try {
    const name = decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '');
    checkFileName(name);
    return name;
  } catch {
    return null;
  }
};
