/** The words of the protocol: those for which its encoding has a short form, so that they are public and nobody's own. */
import { DOUBLE_BYTE_TOKENS, SINGLE_BYTE_TOKENS } from 'baileys/lib/WABinary/constants.js';

const words: ReadonlySet<string> = new Set([...SINGLE_BYTE_TOKENS, ...DOUBLE_BYTE_TOKENS.flat()]);

export const isProtocolWord = (text: string): boolean => words.has(text);
