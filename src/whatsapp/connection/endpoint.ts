/** The network's address and trusted keys: the real ones, or a sandbox's (docs/spec/sandbox.md, The driver does not know). */
import { Agent as HttpsAgent } from 'node:https';
import { DEFAULT_CONNECTION_CONFIG, WA_CERT_DETAILS } from '../library/protocol.ts';
import { Agent as Dispatcher } from 'undici';
import { type SandboxAddress, assertSandbox } from './sandbox-address.ts';

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
