/** Frees memory before the next garbage collection: freed buffers could take as much as everything else. Ignores views of a larger buffer. */
export const release = (bytes: Uint8Array): void => {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) buffer.transfer(0);
};
