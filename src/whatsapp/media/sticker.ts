/** Stickers: WebP is unchanged, other pictures are drawn on 512 × 512 transparent pixels. */
import { fileTypeFromBuffer } from 'file-type';
import sharp, { type Metadata, type Sharp } from 'sharp';
import { HandsetError } from '../../errors.ts';

export interface StickerPicture {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly isAnimated: boolean;
}

const side = 512;
/** 100 kB, or 500 kB if animated (limits of WhatsApp's Cloud API as published by resellers, read 2026-11-23). */
const maxStill = 100 * 1_024;
const maxMoving = 500 * 1_024;
const maxPixels = 50_000_000;
const maxMemory = 120_000_000;
const qualities = [85, 65, 40, 20];

sharp.concurrency(1);
sharp.cache(false);

const invalid = (message: string, cause?: unknown): HandsetError =>
  new HandsetError('InvalidImage', message, { cause });

const open = (bytes: Uint8Array): Sharp =>
  sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error', animated: true });

const maxBytesOf = (isAnimated: boolean): number => (isAnimated ? maxMoving : maxStill);

const tooLarge = (isAnimated: boolean): HandsetError =>
  invalid(
    isAnimated
      ? 'The animated sticker is larger than 500 kB (512,000 bytes)'
      : 'The sticker is larger than 100 kB (102,400 bytes)',
  );

/** Frames are decoded together, one below the other. */
const assertReadable = ({ width, height }: Metadata): void => {
  if (width * height > maxPixels)
    throw invalid(`The sticker has too many pixels; at most ${maxPixels / 1e6} megapixels are read`);
  if (width * height * 4 > maxMemory) {
    throw invalid(
      `The sticker takes too much memory to be read; its frames may have ${maxMemory / 4e6} megapixels together`,
    );
  }
};

const kept = async (bytes: Uint8Array, metadata: Metadata): Promise<StickerPicture> => {
  const isAnimated = (metadata.pages ?? 1) > 1;
  if (bytes.length > maxBytesOf(isAnimated)) throw tooLarge(isAnimated);
  // Reads every pixel, which detects truncated files.
  await open(bytes).stats();
  return { bytes, width: metadata.width, height: metadata.pageHeight ?? metadata.height, isAnimated };
};

const drawn = async (bytes: Uint8Array, metadata: Metadata): Promise<StickerPicture> => {
  const isAnimated = (metadata.pages ?? 1) > 1;
  assertReadable({ ...metadata, width: side, height: side * (metadata.pages ?? 1) });
  for (const quality of qualities) {
    const webp = await open(bytes)
      .autoOrient()
      .resize(side, side, { fit: 'contain', background: { r: 0, g: 0, b: 0, alpha: 0 } })
      .webp({ quality })
      .toBuffer();
    if (webp.length <= maxBytesOf(isAnimated)) return { bytes: webp, width: side, height: side, isAnimated };
  }
  throw tooLarge(isAnimated);
};

/** Throws InvalidImage unless it is a complete WebP, PNG, JPEG or GIF, small enough for a sticker. */
export const prepareSticker = async (bytes: Uint8Array): Promise<StickerPicture> => {
  const { mime } = (await fileTypeFromBuffer(bytes)) ?? {};
  if (mime === undefined || !/^image\/(?:webp|a?png|jpeg|gif)$/.test(mime)) {
    throw invalid('A sticker must be WebP, PNG, JPEG or GIF');
  }
  try {
    const metadata = await open(bytes).metadata();
    assertReadable(metadata);
    return await (mime === 'image/webp' ? kept : drawn)(bytes, metadata);
  } catch (error) {
    if (error instanceof HandsetError) throw error;
    throw invalid('The sticker is damaged, ends too early, or has too many pixels', error);
  }
};
