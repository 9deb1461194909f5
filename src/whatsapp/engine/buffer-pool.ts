/** A smaller `Buffer.poolSize`, so that kept keys do not pin slabs of 64 kB. */

/**
 * A small buffer that is kept pins the slab that it was cut from. A device keeps keys and records that were made at different times: with
 * Node's default that is up to 40 kB a device.
 */
export const shrinkBufferPool = (): void => {
  Buffer.poolSize = 8192;
};
