/** The network's protobuf messages. */
export { proto } from 'baileys';
/** Messages as the plaintext of a ciphertext: their bytes with 1 to 16 bytes of padding. */
export { encodeWAMessage, unpadRandomMax16, writeRandomPadMax16 } from 'baileys';
