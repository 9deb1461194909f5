/** The protocol's dictionary: words with a short encoding, which are public and thus not private data. */
import { DOUBLE_BYTE_TOKENS, SINGLE_BYTE_TOKENS } from 'baileys/lib/WABinary/constants.js';

export { DOUBLE_BYTE_TOKENS, SINGLE_BYTE_TOKENS, TAGS, TOKEN_MAP } from 'baileys/lib/WABinary/constants.js';

const words: ReadonlySet<string> = new Set([...SINGLE_BYTE_TOKENS, ...DOUBLE_BYTE_TOKENS.flat()]);

export const isProtocolWord = (text: string): boolean => words.has(text);
