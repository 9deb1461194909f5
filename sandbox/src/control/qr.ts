/** Reads a QR code from a picture, as a phone's camera would. */
import jsqr from 'jsqr';
import sharp from 'sharp';
import { badRequest } from '../base/errors.ts';

/** The module's function, however the loader presents a CommonJS default export. */
const decode = typeof jsqr === 'function' ? jsqr : jsqr.default;

const pixels = async (png: Buffer): Promise<{ data: Uint8ClampedArray; width: number; height: number }> => {
  try {
    const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    return { data: Uint8ClampedArray.from(data), width: info.width, height: info.height };
  } catch {
    throw badRequest('qr is a data URL, but not of a picture');
  }
};

/** `qr` is the text itself, or a data URL of a picture of it. */
export const readQr = async (qr: string): Promise<string> => {
  if (!qr.startsWith('data:')) return qr;
  const { data, width, height } = await pixels(Buffer.from(qr.slice(qr.indexOf(',') + 1), 'base64'));
  const found = decode(data, width, height);
  if (found === null) throw badRequest('qr is a picture without a QR code that could be read');
  return found.data;
};
