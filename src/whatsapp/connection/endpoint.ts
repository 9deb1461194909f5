/** The network's address and trusted keys: the real ones, or a sandbox's (docs/spec/sandbox.md, The driver does not know). */
import { Agent as HttpsAgent } from 'node:https';
import { DEFAULT_CONNECTION_CONFIG, WA_CERT_DETAILS } from '../library/protocol.ts';
import { Agent as Dispatcher } from 'undici';

export interface Endpoint {
  readonly socketUrl: string;
  readonly rootKey: Uint8Array;
  readonly socketAgent?: HttpsAgent;
  readonly uploadAgent: HttpsAgent | undefined;
  readonly dispatcher: Dispatcher;
  readonly mediaCa?: string;
  readonly sandbox: boolean;
}

const realUrl = String(DEFAULT_CONNECTION_CONFIG.waWebSocketUrl);
const realRootKey = Buffer.from(WA_CERT_DETAILS.PUBLIC_KEY);

export const realEndpoint = (): Endpoint => ({
  socketUrl: realUrl,
  rootKey: realRootKey,
  uploadAgent: undefined,
  dispatcher: new Dispatcher(),
  sandbox: false,
});

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

export const sandboxEndpoint = (address: SandboxAddress): Endpoint => {
  assertSandbox(address);
  return {
    socketUrl: address.socketUrl,
    rootKey: Buffer.from(address.rootKey, 'hex'),
    uploadAgent: new HttpsAgent({ ca: address.mediaCa, keepAlive: true }),
    dispatcher: new Dispatcher({ connect: { ca: address.mediaCa } }),
    mediaCa: address.mediaCa,
    sandbox: true,
  };
};
