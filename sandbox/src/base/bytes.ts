/** Bytes as text, and compared. */
import { timingSafeEqual } from 'node:crypto';

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b);
