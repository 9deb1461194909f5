/** The network's address and the keys to trust there: the real one, or the sandbox (docs/spec/sandbox.md, The driver does not know). */
import { Agent as HttpsAgent } from 'node:https';
import { DEFAULT_CONNECTION_CONFIG, WA_CERT_DETAILS } from '../engine/address.ts';
import { Agent as Dispatcher } from 'undici';
import { type SandboxAddress, assertSandbox } from './sandbox-address.ts';

export interface Endpoint {
  readonly socketUrl: string;
  /** The key that the Noise certificate chain of the server is verified with, 32 bytes. */
  readonly rootKey: Uint8Array;
  /** For the socket; undefined: it connects directly. */
  readonly socketAgent?: HttpsAgent;
  /** For uploads (node:https); undefined: the system's trust. */
  readonly uploadAgent: HttpsAgent | undefined;
  /** For downloads. */
  readonly dispatcher: Dispatcher;
  /** PEM: the authority that the media hosts are trusted by, instead of the system's. */
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

/** Throws an Error in plain words when the address cannot be a sandbox's. */
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
