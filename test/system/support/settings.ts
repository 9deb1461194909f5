/** Settings of a service that is measured: nothing that it refuses for being too much. */

/** Addresses of a running sandbox. */
export interface Place {
  readonly socketUrl: string;
  readonly rootKey: string;
  readonly mediaCa: string;
  readonly controlUrl: string;
}

export const numbersFrom = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => String(first + index));

export const apiKey = `hs_${'B'.repeat(43)}`;
export const adminToken = 'the-admin-token-of-the-measurement';

export const settingsFor = (dataDir: string, controlUrl: string): Readonly<Record<string, string>> => ({
  HANDSET_DATA_DIR: dataDir,
  HANDSET_NETWORK: controlUrl,
  HANDSET_BOOTSTRAP_KEY: apiKey,
  HANDSET_BOOTSTRAP_DEVICE_LIMIT: '100000',
  HANDSET_RATE_LIMIT: '1000000',
  HANDSET_ALLOW_PRIVATE_URLS: 'true',
});
