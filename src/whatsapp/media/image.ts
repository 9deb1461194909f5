/** Images the apps can show: JPEG and PNG stay, WebP and GIF are converted to one of them (docs/spec/messages.md, Send media). */
import { fileTypeFromBuffer } from 'file-type';
import sharp, { type Metadata, type Sharp } from 'sharp';
import type { OutgoingImage } from '../../domain/messages/files.ts';
import { HandsetError, messageOf } from '../../errors.ts';

const maxPixels = 50_000_000;
/** Of a converted image; the source may have 10 MB. */
const maxDrawnBytes = 32 * 1_048_576;
const thumbnailSize = 72;
const jpegQuality = 88;

/** For decoding one image; with its baseline the process stays below its limit (`media-child.ts`). */
const maxMemory = 160_000_000;
/** The most that was measured for redrawing, in decoded images (sharp 0.35, 2026-11-22). */
const copiesToRedraw = 3;

// One at a time, so that memory use is predictable.
sharp.concurrency(1);
// Images rarely repeat, and idle memory is the cost per device.
sharp.cache(false);

type Mimetype = OutgoingImage['mimetype'];

export interface ConvertedImage extends Omit<OutgoingImage, 'file' | 'caption'> {
  readonly bytes: Uint8Array;
}

const invalidImage = (): HandsetError =>
  new HandsetError('InvalidImage', 'Invalid image format (only PNG, JPEG, GIF, WebP allowed)');

const damagedImage = (cause: unknown): HandsetError =>
  new HandsetError('InvalidImage', 'Image is damaged or ends too early', { cause });

const tooManyPixels = (cause?: unknown): HandsetError =>
  new HandsetError('InvalidImage', `Image has too many pixels; at most ${maxPixels / 1_000_000} megapixels are sent`, {
    cause,
  });

const tooMuchMemory = (megapixels: number): HandsetError =>
  new HandsetError(
    'InvalidImage',
    `Image takes too much memory to be converted; at most ${megapixels} megapixels of this kind are sent`,
  );

const open = (bytes: Uint8Array): Sharp => sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error', pages: 1 });

const acceptedTypes: ReadonlySet<string> = new Set([
  'image/png',
  'image/apng',
  'image/jpeg',
  'image/gif',
  'image/webp',
]);

/** By the bytes, whatever a header or name says. Throws InvalidImage for other types. */
const typeOf = async (bytes: Uint8Array): Promise<string> => {
  const type = await fileTypeFromBuffer(bytes);
  if (type === undefined || !acceptedTypes.has(type.mime)) throw invalidImage();
  return type.mime;
};

const needsRewrite = ({ orientation, space }: Metadata): boolean => (orientation ?? 1) > 1 || space === 'cmyk';

interface Picture {
  readonly bytes: Uint8Array;
  readonly mimetype: Mimetype;
}

const concat = (parts: readonly Uint8Array[], bytes: Uint8Array): Uint8Array => {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return length === bytes.length ? bytes : Buffer.concat(parts);
};

const startOfImage = 0xd8;
const endOfImage = 0xd9;
const startOfScan = 0xda;

/** Markers without a length, which occur within scan data. */
const isInScan = (marker: number): boolean => marker === 0x00 || (marker >= 0xd0 && marker <= 0xd7);

const endOfScan = (bytes: Uint8Array, from: number): number => {
  let at = bytes.indexOf(0xff, from);
  while (at >= 0 && at + 1 < bytes.length && isInScan(bytes[at + 1]!)) at = bytes.indexOf(0xff, at + 2);
  return at >= 0 && at + 1 < bytes.length ? at : -1;
};

const startsWith = (bytes: Uint8Array, at: number, text: string): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(text.length, bytes.length - at)).toString('latin1') ===
  text;

/** Segments needed by the decoder: tables, frames and scans, JFIF, a colour profile, Adobe's colour transform. */
const isOfPicture = (bytes: Uint8Array, marker: number, content: number): boolean => {
  if (marker === 0xe2) return startsWith(bytes, content, 'ICC_PROFILE\0');
  if (marker === 0xe0) return startsWith(bytes, content, 'JFIF\0');
  if (marker === 0xee) return startsWith(bytes, content, 'Adobe');
  return marker >= 0xc0 && marker <= 0xdf;
};

/** Strips JPEG and PNG files of everything but the picture: trailing files, comments, EXIF with a location. Null for a malformed file. */
export const plainJpeg = (bytes: Uint8Array): Uint8Array | null => {
  if (bytes[0] !== 0xff || bytes[1] !== startOfImage) return null;
  const parts: Uint8Array[] = [bytes.subarray(0, 2)];
  let at = 2;
  while (at + 1 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1]!;
    if (marker === endOfImage) return concat([...parts, bytes.subarray(at, at + 2)], bytes);
    if (at + 4 > bytes.length || isInScan(marker) || marker === 0xff) return null;
    let end = at + 2 + bytes[at + 2]! * 256 + bytes[at + 3]!;
    if (end < at + 4 || end > bytes.length) return null;
    if (marker === startOfScan) end = endOfScan(bytes, end);
    if (end < 0) return null;
    if (isOfPicture(bytes, marker, at + 4)) parts.push(bytes.subarray(at, end));
    at = end;
  }
  return null;
};

const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** The picture, its colours and resolution; of an animation the first frame. */
const chunks = new Set([
  'IHDR',
  'PLTE',
  'IDAT',
  'IEND',
  'tRNS',
  'gAMA',
  'cHRM',
  'sRGB',
  'iCCP',
  'sBIT',
  'bKGD',
  'pHYs',
]);

export const plainPng = (bytes: Uint8Array): Uint8Array | null => {
  if (!pngSignature.every((byte, index) => bytes[index] === byte)) return null;
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const parts: Uint8Array[] = [bytes.subarray(0, 8)];
  let at = 8;
  while (at + 12 <= bytes.length) {
    const end = at + 12 + view.readUInt32BE(at);
    if (end > bytes.length) return null;
    const type = view.toString('latin1', at + 4, at + 8);
    if (chunks.has(type)) parts.push(bytes.subarray(at, end));
    if (type === 'IEND') return concat(parts, bytes);
    at = end;
  }
  return null;
};

const kept = (bytes: Uint8Array, type: string, metadata: Metadata): Picture | null => {
  if (needsRewrite(metadata) || (type !== 'image/jpeg' && type !== 'image/png')) return null;
  const plain = type === 'image/jpeg' ? plainJpeg(bytes) : plainPng(bytes);
  return plain === null ? null : { bytes: plain, mimetype: type };
};

const isTransparent = async (image: Sharp, { hasAlpha }: Metadata): Promise<boolean> =>
  hasAlpha && !(await image.stats()).isOpaque;

const bytesOf: Readonly<Record<string, number>> = { uchar: 1, char: 1, ushort: 2, short: 2 };

/** As the decoder holds them; GIF and WebP are drawn on a canvas with transparency. */
const decodedBytes = ({ width, height, channels, depth, format }: Metadata): number =>
  width * height * (format === 'gif' || format === 'webp' ? 4 : channels) * (bytesOf[depth] ?? 4);

/** Factors by which the JPEG decoder can shrink while reading. */
const shrinksOf = ({ format }: Metadata, isRedrawn: boolean): readonly number[] =>
  isRedrawn && format === 'jpeg' ? [1, 2, 4] : [1];

/** Returns the factor. Throws InvalidImage before anything is decoded that takes too much memory. */
const shrinkToFit = (metadata: Metadata, isRedrawn: boolean): number => {
  const { width, height, isProgressive } = metadata;
  const decoded = decodedBytes(metadata);
  // An image that is neither redrawn nor progressive is read row by row.
  const neededAt = (shrink: number): number =>
    (isProgressive ? decoded : 0) + (isRedrawn ? (copiesToRedraw * decoded) / shrink ** 2 : 0);
  const shrinks = shrinksOf(metadata, isRedrawn);
  const shrink = shrinks.find((by) => neededAt(by) <= maxMemory);
  if (shrink !== undefined) return shrink;
  throw tooMuchMemory(Math.floor(((width * height) / 1_000_000) * (maxMemory / neededAt(shrinks.at(-1)!))));
};

const convert = async (bytes: Uint8Array, metadata: Metadata): Promise<Picture> => {
  const shrink = shrinkToFit(metadata, true);
  const whole = shrink === 1 ? open(bytes) : open(bytes).resize(Math.ceil(metadata.width / shrink));
  const upright = whole.autoOrient().toColourspace('srgb');
  const isPng = await isTransparent(open(bytes), metadata);
  const drawn = await (isPng ? upright.png() : upright.jpeg({ quality: jpegQuality })).toBuffer();
  if (drawn.length > maxDrawnBytes) throw new HandsetError('InvalidImage', 'Image is too large once it is converted');
  return { bytes: drawn, mimetype: isPng ? 'image/png' : 'image/jpeg' };
};

/** Reads every pixel, which detects truncated files. */
const thumbnailOf = (bytes: Uint8Array): Promise<Uint8Array> =>
  open(bytes)
    .resize(thumbnailSize, thumbnailSize, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: 60 })
    .toBuffer();

/** Throws InvalidImage unless it is a complete PNG, JPEG, GIF or WebP of acceptable size. */
export const convertImage = async (bytes: Uint8Array): Promise<ConvertedImage> => {
  const type = await typeOf(bytes);
  try {
    const metadata = await open(bytes).metadata();
    if (metadata.width * metadata.height > maxPixels) throw tooManyPixels();
    const same = kept(bytes, type, metadata);
    if (same !== null) shrinkToFit(metadata, false);
    const picture = same ?? (await convert(bytes, metadata));
    const { width, height } = same === null ? await open(picture.bytes).metadata() : metadata;
    return { ...picture, width, height, thumbnail: await thumbnailOf(picture.bytes) };
  } catch (error) {
    if (error instanceof HandsetError) throw error;
    throw /pixel limit/.test(messageOf(error)) ? tooManyPixels(error) : damagedImage(error);
  }
};

const pictureSize = 640;

export const preparePicture = async (bytes: Uint8Array): Promise<Uint8Array> =>
  open((await convertImage(bytes)).bytes)
    .resize(pictureSize, pictureSize, { fit: 'cover' })
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: jpegQuality })
    .toBuffer();
