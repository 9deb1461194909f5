/** Bytes that come and go with every message of a megabyte. */

/**
 * Gives memory back that nobody reads any more, now and not with the next collection: what waits for that is at the worst as much as all
 * else, and brings collections of the whole heap on. Bytes that are part of something larger are left alone.
 */
export const release = (bytes: Uint8Array): void => {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) buffer.transfer(0);
};
