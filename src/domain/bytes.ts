/**
 * Frees memory now instead of at the next garbage collection. Otherwise freed buffers can take as much as everything else, and trigger
 * collections of the whole heap. Views of a larger buffer are left alone.
 */
export const release = (bytes: Uint8Array): void => {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) buffer.transfer(0);
};
