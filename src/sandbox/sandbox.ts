/** The sandbox network as one disposable object: server, phones, media host and control interface. */
import { isIP } from 'node:net';
import { messageRoutes } from './control/message-routes.ts';
import { networkRoutes } from './control/network-routes.ts';
import type { Network, NetworkAddress } from './control/network.ts';
import { phoneRoutes } from './control/phone-routes.ts';
import { makeRouter } from './control/router.ts';
import { startControl } from './control/server.ts';
import { Blobs } from './media/blobs.ts';
import { makeCertificates } from './media/certificates.ts';
import { startMediaHost } from './media/host.ts';
import { Phones } from './phones/phones.ts';
import { makeHub } from './server/hub.ts';
import { listen } from './server/listen.ts';

export interface SandboxOptions {
  /** Of the control interface; the server and the media host take the next two. 0 or absent: any free ones. */
  readonly port?: number;
  /** Loopback unless told otherwise. */
  readonly host?: string;
  /** Where state survives a restart; without it nothing does. */
  readonly dataDir?: string;
}

export interface Sandbox extends NetworkAddress {
  readonly phones: Phones;
  close(): Promise<void>;
}

/** Under this path, as sandbox.md has it. */
const base = '/sandbox';

const nextPort = (port: number, offset: number): number => (port === 0 ? 0 : port + offset);

/** Starts everything; resolves when it can be used. */
export const startSandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const { port = 0, host = '127.0.0.1' } = options;
  const certificates = await makeCertificates(host);
  const blobs = await Blobs.open({ directory: null });
  const media = await startMediaHost({ blobs, certificates, address: host, port: nextPort(port, 2) });
  const hub = makeHub({ mediaHost: () => media.host });
  const listener = await listen(hub, { port: nextPort(port, 1), host });
  const phones = new Phones({
    hub,
    media: {
      blobs,
      urlOf: (token) => ({
        url: `https://${media.host}${media.directPath(token)}`,
        directPath: media.directPath(token),
      }),
    },
    changed: () => undefined,
  });
  let controlPort = port;
  const address = (): NetworkAddress => ({
    socketUrl: listener.url,
    rootKey: listener.rootKeyHex,
    mediaCa: certificates.ca,
    controlUrl: `http://${isIP(host) === 6 ? `[${host}]` : host}:${controlPort}${base}`,
  });
  const network: Network = { hub, phones, address, setMediaStatus: (status) => media.setStatus(status) };
  const router = makeRouter({ ...networkRoutes(network), ...phoneRoutes(network), ...messageRoutes(network) });
  const control = await startControl({ router, base, port, address: host });
  controlPort = control.port;
  return {
    ...address(),
    phones,
    async close() {
      await control.close();
      phones.close();
      await Promise.all([listener.close(), media.close()]);
      await blobs.close();
    },
  };
};
