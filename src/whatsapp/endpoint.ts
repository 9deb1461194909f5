/** Where the network is and whom to trust there: the real one, or the sandbox (sandbox.md). */
import { Agent as HttpsAgent } from 'node:https';
import { DEFAULT_CONNECTION_CONFIG, WA_CERT_DETAILS } from 'baileys';
import { Agent as Dispatcher } from 'undici';

export interface Endpoint {
  readonly socketUrl: string;
  /** The key that the Noise certificate chain of the server is verified with, 32 bytes. */
  readonly rootKey: Uint8Array;
  /** For uploads (node:https); undefined: the system's trust. */
  readonly uploadAgent: HttpsAgent | undefined;
  /** For downloads (fetch); undefined: the system's trust. */
  readonly dispatcher: Dispatcher | undefined;
  readonly sandbox: boolean;
}

const realUrl = String(DEFAULT_CONNECTION_CONFIG.waWebSocketUrl);
const realRootKey = Buffer.from(WA_CERT_DETAILS.PUBLIC_KEY);

export const realEndpoint = (): Endpoint => ({
  socketUrl: realUrl,
  rootKey: realRootKey,
  uploadAgent: undefined,
  dispatcher: undefined,
  sandbox: false,
});

const isRealHost = (url: string): boolean => {
  const { hostname } = new URL(url);
  return hostname === 'whatsapp.com' || /\.whatsapp\.(com|net)$/.test(hostname) || hostname === 'whatsapp.net';
};

/** Where a sandbox says that its parts are. */
export interface SandboxAddress {
  readonly socketUrl: string;
  /** 64 hex digits. */
  readonly rootKey: string;
  /** PEM. */
  readonly mediaCa: string;
}

/** Throws an Error in plain words when the address cannot be a sandbox's. */
export const sandboxEndpoint = (address: SandboxAddress): Endpoint => {
  if (!/^[0-9a-f]{64}$/i.test(address.rootKey)) throw new Error("The sandbox's root key must be 64 hex digits");
  if (isRealHost(address.socketUrl)) {
    throw new Error("A sandbox's root key must not be trusted on the real network");
  }
  return {
    socketUrl: address.socketUrl,
    rootKey: Buffer.from(address.rootKey, 'hex'),
    uploadAgent: new HttpsAgent({ ca: address.mediaCa, keepAlive: true }),
    dispatcher: new Dispatcher({ connect: { ca: address.mediaCa } }),
    sandbox: true,
  };
};

let trusted: Uint8Array | null = null;

/**
 * Makes Baileys trust the endpoint's root key. Baileys keeps it for the whole process, so a process that has
 * connected to the real network never trusts another key.
 */
export const trustRootKey = ({ rootKey, sandbox }: Endpoint): void => {
  if (trusted !== null && sandbox && Buffer.compare(trusted, realRootKey) === 0) {
    throw new Error('This process has connected to the real network; a sandbox needs a process of its own');
  }
  if (trusted !== null && !sandbox && Buffer.compare(trusted, realRootKey) !== 0) {
    throw new Error('This process has connected to a sandbox; the real network needs a process of its own');
  }
  trusted = rootKey;
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(rootKey);
};
