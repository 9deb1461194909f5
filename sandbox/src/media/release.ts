/** Frees the memory of a piece of a file at once: left to the garbage collector, pieces make it run all the time. Ignores views of a larger buffer. */
export const release = ({ buffer, byteLength }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
};
