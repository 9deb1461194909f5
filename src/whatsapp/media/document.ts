/** Files that are sent as they are, whatever they hold: their type is found by bytes and name, and archives are not opened. */
import { extname } from 'node:path';
import { fileTypeFromBuffer } from 'file-type';
import type { DocumentWish, OutgoingDocument } from '../../domain/messages/files.ts';
import type { EncipheredFile } from '../../domain/messages/media.ts';

/** As much as types are recognised by. */
const sampleBytes = 4_100;

/** Types that bytes do not tell, or tell as that of the frame alone. */
const byName: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  csv: 'text/csv',
  html: 'text/html',
  md: 'text/markdown',
  json: 'application/json',
  xml: 'application/xml',
  ics: 'text/calendar',
  vcf: 'text/vcard',
  svg: 'image/svg+xml',
  doc: 'application/msword',
  xls: 'application/vnd.ms-excel',
  ppt: 'application/vnd.ms-powerpoint',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  odt: 'application/vnd.oasis.opendocument.text',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odp: 'application/vnd.oasis.opendocument.presentation',
  epub: 'application/epub+zip',
  jar: 'application/java-archive',
  apk: 'application/vnd.android.package-archive',
};

const frames: ReadonlySet<string> = new Set(['application/zip', 'application/x-cfb', 'application/xml']);

const extensionOf = (name: string | null): string =>
  extname(name ?? '')
    .slice(1)
    .toLowerCase();

/** A PDF that is written for the web says in its first object how many pages there are (ISO 32000-1, Annex F). */
const linearizedPages = (sample: Uint8Array): number | null => {
  const text = Buffer.from(sample).toString('latin1');
  const dictionary = /<<[^<>]*\/Linearized[^<>]*>>/.exec(text)?.[0] ?? '';
  const pages = Number(/\/N\s+(\d{1,6})\b/.exec(dictionary)?.[1] ?? 0);
  return pages > 0 ? pages : null;
};

export const prepareDocument = async (
  file: EncipheredFile,
  wish: DocumentWish,
  caption: string | null,
): Promise<OutgoingDocument> => {
  const sample = await file.plain.read(0, sampleBytes);
  const type = await fileTypeFromBuffer(sample).catch(() => undefined);
  const named = byName[extensionOf(wish.fileName)];
  const found = type === undefined || (frames.has(type.mime) && named !== undefined) ? named : type.mime;
  const mimetype = wish.mimetype ?? found ?? 'application/octet-stream';
  const fileName = wish.fileName ?? (type === undefined ? 'document' : `document.${type.ext}`);
  const pageCount = mimetype === 'application/pdf' ? linearizedPages(sample) : null;
  return { file, mimetype, fileName, pageCount, caption };
};
