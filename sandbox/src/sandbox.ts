/** The sandbox network as one disposable object: server, phones, media host and control interface. */
import { appStateRoutes } from './control/app-state-routes.ts';
import { labelRoutes } from './control/label-routes.ts';
import { linkingRoutes, phoneRoutes } from './control/phone-routes.ts';
import { messageRoutes } from './control/message-routes.ts';
import { statusRoutes } from './control/status-routes.ts';
import { channelRoutes } from './control/channel-routes.ts';
import { groupRoutes } from './control/group-routes.ts';
import { networkRoutes } from './control/network-routes.ts';
import { type Network, type NetworkAddress, versionPath, versionRoutes } from './control/network.ts';
import { profileRoutes, presenceRoutes } from './control/profile-routes.ts';
import { makeRouter, type Routes, startControl } from './control/server.ts';
import { DataDirectory, type Identity, nothingSaved } from './storage/data-directory.ts';
import { Autosave } from './storage/autosave.ts';
import { MediaAuths, type MediaHost, startMediaHost } from './media/host.ts';
import { Blobs, keepPicture } from './media/blobs.ts';
import { certificatesFor } from './media/certificates.ts';
import { encryptMedia, uploadToken } from './media/cipher.ts';
import type { MediaLocation } from './phones/context/context.ts';
import { Phones } from './phones/phones.ts';
import type { Recorder } from './base/recorder.ts';
import { type Addressing, DEFAULT_ADDRESSING } from './server/state/faults.ts';
import { makeHub, restoreHub, type ServerHub } from './server/hub.ts';
import { listen } from './server/transport/listen.ts';
import type { StoreFile, StorePicture } from './server/state/state.ts';
import type { KeyPair } from './base/types.ts';

export const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

const onPort = async <T>(port: number, fixed: boolean, start: (port: number) => Promise<T>): Promise<T> => {
  try {
    return await start(port);
  } catch (error) {
    if (fixed || port === 0 || !isTaken(error)) throw error;
    return start(0);
  }
};

export interface SandboxOptions {
  /** The server and the media host use the next two ports. 0 or absent: free ones. */
  readonly port?: number;
  /** Address to listen on; loopback by default. */
  readonly host?: string;
  /** Persistent state; without it nothing survives a restart. */
  readonly dataDir?: string;
  /** Host name for clients, if it differs from `host`: behind a wildcard address or a container's name. */
  readonly advertise?: string;
  /** Addressing rules unless `PUT /faults` sets others. */
  readonly addressing?: Addressing;
  readonly onError?: (error: unknown) => void;
  readonly record?: Recorder;
  /** Replaces a new one: stock Baileys has one root key for all connections of a process. */
  readonly rootKey?: KeyPair;
}

export interface Sandbox extends NetworkAddress {
  readonly phones: Phones;
  readonly hub: ServerHub;
  close(): Promise<void>;
}

const base = '/sandbox';

const wildcards: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

const named = (url: string, host: string): string => {
  const changed = new URL(url);
  changed.hostname = host.includes(':') ? `[${host}]` : host;
  return changed.href;
};

type Ports = Identity['ports'];

/** The requested ports, or else the previous ones if they are free. */
const portsOf = (port: number, saved: Ports | undefined): { readonly fixed: boolean; readonly ports: Ports } =>
  port === 0
    ? { fixed: false, ports: saved ?? { control: 0, socket: 0, media: 0 } }
    : { fixed: true, ports: { control: port, socket: port + 1, media: port + 2 } };

const encodeKey = (key: KeyPair): Identity['rootKey'] => ({
  public: Buffer.from(key.public).toString('base64'),
  private: Buffer.from(key.private).toString('base64'),
});

const decodeKey = (key: Identity['rootKey']): KeyPair => ({
  public: Uint8Array.from(Buffer.from(key.public, 'base64')),
  private: Uint8Array.from(Buffer.from(key.private, 'base64')),
});

const mediaLocation = (blobs: Blobs, media: MediaHost) => ({
  blobs,
  urlOf: (token: string) => ({
    url: `https://${media.host}${media.directPath(token)}`,
    directPath: media.directPath(token),
  }),
});

const storesOf = (files: MediaLocation): { readonly storeFile: StoreFile; readonly storePicture: StorePicture } => ({
  storeFile: async (kind, bytes) => {
    const { body, mediaKey, fileSha256, fileEncSha256 } = encryptMedia(bytes, kind);
    const token = uploadToken(fileEncSha256);
    await files.blobs.put(token, body);
    const fileSizeBytes = body.length;
    return { mediaKey, fileSha256, fileEncSha256, fileSizeBytes, directPath: files.urlOf(token).directPath };
  },
  storePicture: (bytes) => keepPicture(files.blobs, bytes),
});

const routesOf = (network: Network): Routes => ({
  ...groupRoutes(network),
  ...channelRoutes(network),
  ...networkRoutes(network),
  ...versionRoutes(network),
  ...phoneRoutes(network),
  ...profileRoutes(network),
  ...presenceRoutes(network),
  ...linkingRoutes(network),
  ...messageRoutes(network),
  ...statusRoutes(network),
  ...appStateRoutes(network),
  ...labelRoutes(network),
});

export const startSandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const { port = 0, host = '127.0.0.1', dataDir, addressing = DEFAULT_ADDRESSING } = options;
  const { onError: report = () => undefined, record } = options;
  const name = options.advertise ?? (wildcards.has(host) ? '127.0.0.1' : host);
  const data = dataDir === undefined ? null : new DataDirectory(dataDir);
  const saved = (await data?.load()) ?? nothingSaved;
  const { fixed, ports } = portsOf(port, saved.identity?.ports);
  const certificates = saved.identity?.host === name ? saved.identity.certificates : await certificatesFor(name);
  // Closes everything if the start fails half-way. A running sandbox closes in its own order.
  await using opened = new AsyncDisposableStack();
  const blobs = await Blobs.open({ directory: data?.media ?? null });
  opened.defer(() => blobs.close());
  const auths = new MediaAuths();
  const media = await onPort(ports.media, fixed, (free) =>
    startMediaHost({ blobs, auths, certificates, address: host, name, port: free, record }),
  );
  opened.defer(() => media.close());
  const files = mediaLocation(blobs, media);
  const hosts = { mediaHost: () => media.host, mediaFallback: () => media.fallback, mediaAuths: auths };
  const hubOptions = { ...hosts, ...storesOf(files), addressing, onError: report, record };
  const hub = saved.hub === null ? makeHub(hubOptions) : restoreHub(saved.hub, hubOptions);
  const rootKey = saved.identity === null ? options.rootKey : decodeKey(saved.identity.rootKey);
  const listener = await onPort(ports.socket, fixed, (free) => listen(hub, { port: free, host, rootKey }));
  opened.defer(() => listener.close());
  const changed = new Set<string>();
  const phones = new Phones({ hub, media: files, changed: (number) => changed.add(number), report });
  for (const phone of saved.phones) phones.restore(phone);
  let controlPort = 0;
  const address = (): NetworkAddress => ({
    socketUrl: named(listener.url, name),
    rootKey: listener.rootKeyHex,
    mediaCa: certificates.ca,
    controlUrl: named(`http://host:${controlPort}${base}`, name),
    versionUrl: named(`http://host:${controlPort}${base}${versionPath}`, name),
  });
  const network: Network = { hub, phones, address, media };
  const router = makeRouter(routesOf(network));
  const control = await onPort(ports.control, fixed, (free) =>
    startControl({ router, base, port: free, address: host }),
  );
  opened.defer(() => control.close());
  controlPort = control.port;
  const bound = { control: control.port, socket: listener.port, media: media.port };
  await data?.saveIdentity({ rootKey: encodeKey(listener.rootKey), host: name, certificates, ports: bound });
  const autosave = data && new Autosave({ data, hub, phones, changed, report });
  opened.move();
  return {
    ...address(),
    phones,
    hub,
    async close() {
      await control.close();
      await Promise.all([listener.close(), media.close()]);
      await phones.idle();
      await autosave?.close();
      phones.close();
      await blobs.close();
    },
  };
};
