/** The network's protobuf messages. */
export { proto } from 'baileys';
/** Plaintexts of messages have 1 to 16 bytes of padding. */
export { encodeWAMessage, unpadRandomMax16, writeRandomPadMax16 } from 'baileys';
