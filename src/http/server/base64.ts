/** Strict base64 and data URLs, decoded piece by piece, where they are. */
import { invalidRequest } from '../../errors.ts';
import { payloadTooLarge } from './errors.ts';

const malformed = (): Error => invalidRequest('mediaBase64 must be base64 without line breaks, or a base64 data URL');

/** The offset of the base64: after the comma of a data URL, or 0. */
const startOf = (head: string): number => {
  if (!/^data:/i.test(head)) return 0;
  const comma = head.indexOf(',');
  if (comma < 0 || !/;base64$/i.test(head.slice(0, comma))) throw malformed();
  return comma + 1;
};

/** Characters decoded at a time, of which four are three bytes: text that is short-lived and small costs nothing to collect. */
const step = 4 * 8_192;

/** Bytes are decoded in their own place. Throws PayloadTooLarge before decoding; InvalidRequest for anything that is not base64. */
export const decodeBase64 = (given: string | Buffer, maxBytes: number): Uint8Array => {
  const text = typeof given === 'string' ? Buffer.from(given) : given;
  const start = startOf(text.toString('latin1', 0, 256));
  const end = text.toString('latin1', Math.max(0, text.length - 2));
  const padding = end.endsWith('==') ? 2 : end.endsWith('=') ? 1 : 0;
  const digits = text.length - start - padding;
  const size = Math.floor((digits * 3) / 4);
  if (size > maxBytes) throw payloadTooLarge();
  // Four digits are three bytes; a padded end must fill its group, an unpadded one may leave it open.
  if (digits % 4 === 1 || (padding > 0 && (digits + padding) % 4 !== 0)) throw malformed();
  // The decoder skips what is not base64, and so gives fewer bytes; the URL alphabet is the one thing that it takes as well.
  if (text.includes('-', start) || text.includes('_', start)) throw malformed();
  let length = 0;
  for (let at = start; at < text.length; at += step)
    length += text.write(text.toString('latin1', at, Math.min(at + step, text.length)), length, 'base64');
  if (length !== size) throw malformed();
  return text.subarray(0, size);
};
