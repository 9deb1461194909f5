/** The header `Range` (RFC 9110, section 14): one range of bytes; anything else is answered with the whole. */
import type { IncomingHttpHeaders } from 'node:http';
import type { ByteRange } from '../../domain/messages/kept-media.ts';

/** Null: the whole. Of several ranges, and with `If-Range` (there are no validators here), the whole is a right answer, too. */
export const byteRange = (headers: IncomingHttpHeaders, size: number): ByteRange | null | 'unsatisfiable' => {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(headers.range?.trim() ?? '') ?? [];
  if ((first === '' && last === '') || headers['if-range'] !== undefined) return null;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { from: size - length, to: size };
  }
  const from = Number(first);
  const to = last === '' ? size : Math.min(Number(last) + 1, size);
  if (last !== '' && Number(last) < from) return null;
  return from >= size ? 'unsatisfiable' : { from, to };
};
