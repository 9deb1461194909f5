/** A sandbox's addresses, checked before the driver is loaded. */

export interface SandboxAddress {
  readonly socketUrl: string;
  readonly rootKey: string;
  readonly mediaCa: string;
  readonly versionUrl?: string;
}

const isRealHost = (url: string): boolean => {
  const { hostname } = new URL(url);
  return hostname === 'whatsapp.com' || /\.whatsapp\.(com|net)$/.test(hostname) || hostname === 'whatsapp.net';
};

export const assertSandbox = ({ rootKey, socketUrl, versionUrl }: SandboxAddress): void => {
  if (!/^[0-9a-f]{64}$/i.test(rootKey)) throw new Error("The sandbox's root key must be 64 hex digits");
  if (isRealHost(socketUrl)) throw new Error("A sandbox's root key must not be trusted on the real network");
  if (versionUrl !== undefined && isRealHost(versionUrl)) throw new Error('A sandbox has a version page of its own');
};
