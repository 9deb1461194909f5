/** Detects files that do not begin as their type requires, and names the likely cause. */
import { invalidRequest } from '../../errors.ts';

/** PDF readers look for the header in the first kilobyte (ISO 32000-1, Annex H). */
const headerBytes = 1_024;

export const isPdf = (sample: Buffer): boolean => sample.subarray(0, headerBytes).includes('%PDF-');

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
  Object.entries(beginnings).flatMap(([type, [, extensions]]) =>
    extensions.split(' ').map((one) => [one, type] as const),
  ),
);

export const typeByExtension = (extension: string): string | undefined => byExtension.get(extension);

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
export const checkBeginning = (declared: string | undefined, sample: Buffer, recognised: string | undefined): void => {
  const [words, , test] = beginnings[declared?.toLowerCase() ?? ''] ?? [];
  if (test === undefined || test(sample)) return;
  throw invalidRequest(`The file is not ${words}: ${causeOf(sample, recognised)}`, 'invalid_media');
};
