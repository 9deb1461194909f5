/** Files sent as they are: their type is recognized by bytes and name, and archives are not opened. */
import { fileTypeFromBuffer } from 'file-type';
import { asFileName, splitName } from '../../domain/messages/file-names.ts';
import type { DocumentRequest, OutgoingDocument, EncipheredFile } from '../../domain/messages/files.ts';
import { invalidRequest } from '../../errors.ts';

const sampleBytes = 4_100;

/** Types that bytes do not reveal, or only as their container. */
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

const extensions: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(byName).map(([extension, type]) => [type, extension])),
  'application/pdf': 'pdf',
};

const frames: ReadonlySet<string> = new Set(['application/zip', 'application/x-cfb', 'application/xml']);

/** Extensions of the program that served the file, such as `.php`. */
const scripts: ReadonlySet<string> = new Set(
  'action ashx asp aspx bin cfm cgi dat do download file htm html jsp php phtml pl py tmp'.split(' '),
);

const extensionOf = (name: string | null): string =>
  splitName(name ?? '')[1]
    .slice(1)
    .toLowerCase();

const withExtension = (name: string, extension: string | undefined): string => {
  const own = extensionOf(name);
  if (extension === undefined || own === extension) return name;
  const stem = scripts.has(own) ? splitName(name)[0] : own === '' || /^\d+$/.test(own) ? name : null;
  return stem === null ? name : (asFileName(`${stem}.${extension}`) ?? name);
};

const typeInHeader = (header: string | null | undefined): string | undefined => {
  const type = header?.slice(0, 256).split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) && !/octet-stream|download/.test(type) ? type : undefined;
};

/** Page count in a linearized PDF (ISO 32000-1, Annex F). */
const linearizedPages = (sample: Uint8Array): number | null => {
  const text = Buffer.from(sample).toString('latin1');
  const dictionary = /<<[^<>]*\/Linearized[^<>]*>>/.exec(text)?.[0] ?? '';
  const pages = Number(/\/N\s+(\d{1,6})\b/.exec(dictionary)?.[1] ?? 0);
  return pages > 0 ? pages : null;
};

interface Recognised {
  readonly mime: string;
  readonly ext: string;
}

/** PDF readers look for the header in the first kilobyte (ISO 32000-1, Annex H). */
const headerBytes = 1_024;

const isPdf = (sample: Buffer): boolean => sample.subarray(0, headerBytes).includes('%PDF-');

const startsWith = (sample: Buffer, head: string): boolean =>
  sample.subarray(0, head.length).toString('latin1') === head;

const begins =
  (...heads: readonly string[]) =>
  (sample: Buffer): boolean =>
    heads.some((head) => startsWith(sample, head));

const isPackage = begins('PK', '\xd0\xcf\x11\xe0');
const office = 'application/vnd.openxmlformats-officedocument.';
const openDocument = 'application/vnd.oasis.opendocument.';

/** Types whose files always begin alike. Others are not checked. */
const beginnings: Readonly<
  Record<string, readonly [words: string, extensions: string, test: (sample: Buffer) => boolean]>
> = {
  'application/pdf': ['a PDF', 'pdf', isPdf],
  'image/png': ['a PNG image', 'png', begins('\x89PNG')],
  'image/jpeg': ['a JPEG image', 'jpg jpeg', begins('\xff\xd8\xff')],
  'image/gif': ['a GIF image', 'gif', begins('GIF8')],
  'image/webp': ['a WebP image', 'webp', begins('RIFF')],
  'application/zip': ['a ZIP archive', 'zip', begins('PK')],
  'application/gzip': ['a gzip archive', 'gz tgz', begins('\x1f\x8b')],
  [`${office}wordprocessingml.document`]: ['a Word document', 'docx', isPackage],
  [`${office}spreadsheetml.sheet`]: ['an Excel workbook', 'xlsx', isPackage],
  [`${office}presentationml.presentation`]: ['a PowerPoint presentation', 'pptx', isPackage],
  [`${openDocument}text`]: ['an OpenDocument text', 'odt', isPackage],
  [`${openDocument}spreadsheet`]: ['an OpenDocument spreadsheet', 'ods', isPackage],
  [`${openDocument}presentation`]: ['an OpenDocument presentation', 'odp', isPackage],
};

const byExtension = new Map(
  Object.entries(beginnings).flatMap(([type, [, names]]) => names.split(' ').map((one) => [one, type] as const)),
);

const typeByExtension = (extension: string): string | undefined => byExtension.get(extension);

const replacement = Buffer.from('\ufffd');

const causeOf = (sample: Buffer, recognised: string | undefined): string => {
  const head = sample.toString('latin1', 0, 256).trimStart().toLowerCase();
  if (sample.subarray(0, 16).includes(replacement))
    return 'its bytes were read as text on the way, which has destroyed them';
  if (head.startsWith('data:')) return 'it is the text of a data URL: encode the file itself, once';
  if (/^(?:jvberi|ivborw0kggo|\/9j\/|r0lgod|uklgr|uesdb)/.test(head))
    return 'it is still base64: encode the file only once';
  if (/^<(?:!doctype html|html|head|body|script|meta)/.test(head))
    return 'it is an HTML page, perhaps a sign-in page or an error';
  if (/^[[{]/.test(head)) return 'it is JSON, perhaps an error';
  if (recognised !== undefined) return `it is ${recognised}`;
  return /^[\t\n\r\x20-\x7e]+$/.test(head) ? 'it is text' : 'it may be encrypted, or lack its beginning';
};

/** Throws InvalidRequest if a file is not of the type `declared`; `recognised`: the type by its content. */
const checkBeginning = (declared: string | undefined, sample: Buffer, recognised: string | undefined): void => {
  const [words, , test] = beginnings[declared?.toLowerCase() ?? ''] ?? [];
  if (test === undefined || test(sample)) return;
  throw invalidRequest(`The file is not ${words}: ${causeOf(sample, recognised)}`, 'invalid_media');
};

const recognise = async (sample: Buffer): Promise<Recognised | undefined> =>
  isPdf(sample) ? { mime: 'application/pdf', ext: 'pdf' } : fileTypeFromBuffer(sample).catch(() => undefined);

export const prepareDocument = async (
  file: EncipheredFile,
  wanted: DocumentRequest,
  caption: string | null,
): Promise<OutgoingDocument> => {
  const sample = Buffer.from(await file.plain.read(0, sampleBytes));
  const type = await recognise(sample);
  const { fileName: foundName = null, mimetype: header = null } = wanted.download ?? {};
  const given = wanted.fileName ?? foundName;
  const named = byName[extensionOf(given)];
  const byBytes = type === undefined || (frames.has(type.mime) && named !== undefined) ? undefined : type.mime;
  checkBeginning(wanted.mimetype ?? typeByExtension(extensionOf(wanted.fileName)), sample, type?.mime);
  const mimetype = wanted.mimetype ?? byBytes ?? named ?? typeInHeader(header) ?? 'application/octet-stream';
  const extension = mimetype === type?.mime ? type.ext : extensions[mimetype];
  const fileName = wanted.fileName ?? withExtension(given ?? 'document', extension);
  const pageCount = mimetype === 'application/pdf' ? linearizedPages(sample) : null;
  return { file, mimetype, fileName, pageCount, caption };
};
