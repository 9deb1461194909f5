/** From how large a piece Node cuts small buffers. */

/**
 * A buffer of 32 bytes that is kept keeps the whole piece that it was cut from, and a device keeps keys and records that were made at
 * different times: with Node's 64 KB that is up to 40 KB a device. Each thread has pieces of its own.
 */
export const cutSmallBuffersFromSmallPieces = (): void => {
  Buffer.poolSize = 8192;
};
