/** Strict base64 and data URLs, decoded without copies of the large string. */
import { invalidRequest } from '../errors.ts';
import { payloadTooLarge } from './errors.ts';

const malformed = (): Error => invalidRequest('mediaBase64 must be base64 without line breaks, or a base64 data URL');

/** Where the base64 begins: after the comma of a data URL, or at the start. */
const startOf = (text: string): number => {
  if (!/^data:/i.test(text.slice(0, 5))) return 0;
  const comma = text.slice(0, 256).indexOf(',');
  if (comma < 0 || !/;base64$/i.test(text.slice(0, comma))) throw malformed();
  return comma + 1;
};

/** Throws PayloadTooLarge before decoding; InvalidRequest for anything that is not base64. */
export const decodeBase64 = (text: string, maxBytes: number): Uint8Array => {
  const start = startOf(text);
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const digits = text.length - start - padding;
  const size = Math.floor((digits * 3) / 4);
  if (size > maxBytes) throw payloadTooLarge();
  // Four digits are three bytes; a padded end must fill its group, an unpadded one may leave it open.
  if (digits % 4 === 1 || (padding > 0 && (digits + padding) % 4 !== 0)) throw malformed();
  // The decoder skips what is not base64, and so gives fewer bytes; the URL alphabet is the one thing that it takes as well.
  if (text.includes('-', start) || text.includes('_', start)) throw malformed();
  const bytes = Buffer.from(start === 0 ? text : text.slice(start), 'base64');
  if (bytes.length !== size) throw malformed();
  return bytes;
};
