/** The network's address and trusted keys: the real ones, or those of the sandbox (docs/spec/sandbox.md, The driver does not know). */
import { Agent as HttpsAgent } from 'node:https';
import { DEFAULT_CONNECTION_CONFIG, WA_CERT_DETAILS } from '../engine/baileys.ts';
import { Agent as Dispatcher } from 'undici';
import { type SandboxAddress, assertSandbox } from './sandbox-address.ts';

export interface Endpoint {
  readonly socketUrl: string;
  /** Root key of the server's Noise certificates, 32 bytes. */
  readonly rootKey: Uint8Array;
  /** Agent for the socket; undefined: direct. */
  readonly socketAgent?: HttpsAgent;
  /** Agent for uploads (node:https); undefined: the system's certificate authorities. */
  readonly uploadAgent: HttpsAgent | undefined;
  /** For downloads. */
  readonly dispatcher: Dispatcher;
  /** PEM of the authority of the media hosts, instead of the system's. */
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

/** Throws a readable Error if the address cannot be a sandbox's. */
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
