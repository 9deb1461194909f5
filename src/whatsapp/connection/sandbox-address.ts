/** The addresses of a sandbox, checked before the driver is loaded. */

export interface SandboxAddress {
  readonly socketUrl: string;
  /** 64 hex digits. */
  readonly rootKey: string;
  /** PEM. */
  readonly mediaCa: string;
  /** URL of the page with the current client revision; absent on an older sandbox. */
  readonly versionUrl?: string;
}

const isRealHost = (url: string): boolean => {
  const { hostname } = new URL(url);
  return hostname === 'whatsapp.com' || /\.whatsapp\.(com|net)$/.test(hostname) || hostname === 'whatsapp.net';
};

/** Throws a readable Error if the address cannot be a sandbox's. */
export const assertSandbox = ({ rootKey, socketUrl, versionUrl }: SandboxAddress): void => {
  if (!/^[0-9a-f]{64}$/i.test(rootKey)) throw new Error("The sandbox's root key must be 64 hex digits");
  if (isRealHost(socketUrl)) throw new Error("A sandbox's root key must not be trusted on the real network");
  if (versionUrl !== undefined && isRealHost(versionUrl)) throw new Error('A sandbox has a version page of its own');
};
