/** Strips JPEG and PNG files of everything but the picture: trailing files, comments, EXIF with a location. Null for a malformed file. */

const concat = (parts: readonly Uint8Array[], bytes: Uint8Array): Uint8Array => {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  // Nothing was removed.
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
