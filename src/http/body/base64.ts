/** Strict base64 and data URLs, decoded in place, piece by piece. */
import { invalidRequest } from '../../errors.ts';
import { payloadTooLarge } from '../wire/errors.ts';

const malformed = (): Error => invalidRequest('mediaBase64 must be base64 without line breaks, or a base64 data URL');

const startOf = (head: string): number => {
  if (!/^data:/i.test(head)) return 0;
  const comma = head.indexOf(',');
  if (comma < 0 || !/;base64$/i.test(head.slice(0, comma))) throw malformed();
  return comma + 1;
};

/** No file is lower-case letters alone in base64; a placeholder may be. */
const maxWord = 32;
const word = /^[a-z]{4,32}$/;
/** Placeholders for files stored elsewhere (n8n, 2026). */
const inN8n: ReadonlySet<string> = new Set(['database', 'filesystem', 'filesystem-v2', 's3']);

const assertNoWord = (text: string): void => {
  if (inN8n.has(text))
    throw invalidRequest(
      `mediaBase64 is "${text}", which n8n shows in place of a file that it keeps elsewhere; give the content of the file, as its node Extract from File makes it (Move File to Base64 String)`,
      'invalid_media',
    );
  if (word.test(text))
    throw invalidRequest(
      `mediaBase64 is the word "${text}", not a file; send the content of the file in base64`,
      'invalid_media',
    );
};

const step = 4 * 8_192;

/** Throws PayloadTooLarge before decoding, InvalidRequest if it is not base64. */
export const decodeBase64 = (given: string | Buffer, maxBytes: number): Uint8Array => {
  const text = typeof given === 'string' ? Buffer.from(given) : given;
  if (text.length <= maxWord) assertNoWord(text.toString('latin1'));
  const start = startOf(text.toString('latin1', 0, 256));
  const end = text.toString('latin1', Math.max(0, text.length - 2));
  const padding = end.endsWith('==') ? 2 : end.endsWith('=') ? 1 : 0;
  const digits = text.length - start - padding;
  const size = Math.floor((digits * 3) / 4);
  if (size > maxBytes) throw payloadTooLarge();
  // Four digits are three bytes. Padding may be missing, but must fill its group.
  if (digits % 4 === 1 || (padding > 0 && (digits + padding) % 4 !== 0)) throw malformed();
  // The decoder skips invalid characters, which shortens the output, and accepts the URL alphabet.
  if (text.includes('-', start) || text.includes('_', start)) throw malformed();
  let length = 0;
  for (let at = start; at < text.length; at += step)
    length += text.write(text.toString('latin1', at, Math.min(at + step, text.length)), length, 'base64');
  if (length !== size) throw malformed();
  return text.subarray(0, size);
};
