/** Strict base64 and data URLs, decoded in place, piece by piece. */
import { invalidRequest } from '../../errors.ts';
import { payloadTooLarge } from '../wire/errors.ts';

const malformed = (): Error => invalidRequest('mediaBase64 must be base64 without line breaks, or a base64 data URL');

/** Offset of the base64: after the comma of a data URL, or 0. */
const startOf = (head: string): number => {
  if (!/^data:/i.test(head)) return 0;
  const comma = head.indexOf(',');
  if (comma < 0 || !/;base64$/i.test(head.slice(0, comma))) throw malformed();
  return comma + 1;
};

/** No file is lower-case letters alone in base64, but a placeholder may be. */
const maxWord = 32;
const word = /^[a-z]{4,32}$/;
/** Placeholders of files stored elsewhere (n8n, 2026). */
const inN8n: ReadonlySet<string> = new Set(['database', 'filesystem', 'filesystem-v2', 's3']);

/** Throws InvalidRequest for a placeholder. */
const assertNoWord = (text: string): void => {
  if (inN8n.has(text))
    throw invalidRequest(
      `mediaBase64 is "${text}", which n8n shows in place of a file that it keeps elsewhere; give the content of the file, as its node Extract from File makes it (Move File to Base64 String)`,
      'invalid_media',
    );
  if (word.test(text))
    throw invalidRequest(
      `mediaBase64 is the word "${text}" and no file; give the content of the file in base64`,
      'invalid_media',
    );
};

/** Characters decoded at a time: short-lived small strings cost little to collect. */
const step = 4 * 8_192;

/** Decodes a buffer in place. Throws PayloadTooLarge before decoding, InvalidRequest for anything but base64. */
export const decodeBase64 = (given: string | Buffer, maxBytes: number): Uint8Array => {
  const text = typeof given === 'string' ? Buffer.from(given) : given;
  if (text.length <= maxWord) assertNoWord(text.toString('latin1'));
  const start = startOf(text.toString('latin1', 0, 256));
  const end = text.toString('latin1', Math.max(0, text.length - 2));
  const padding = end.endsWith('==') ? 2 : end.endsWith('=') ? 1 : 0;
  const digits = text.length - start - padding;
  const size = Math.floor((digits * 3) / 4);
  if (size > maxBytes) throw payloadTooLarge();
  // Four digits are three bytes; padding must fill its group, and may be missing.
  if (digits % 4 === 1 || (padding > 0 && (digits + padding) % 4 !== 0)) throw malformed();
  // The decoder skips invalid characters, which shortens the output; the URL alphabet alone it accepts.
  if (text.includes('-', start) || text.includes('_', start)) throw malformed();
  let length = 0;
  for (let at = start; at < text.length; at += step)
    length += text.write(text.toString('latin1', at, Math.min(at + step, text.length)), length, 'base64');
  if (length !== size) throw malformed();
  return text.subarray(0, size);
};
