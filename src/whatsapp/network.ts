/** The network port on WhatsApp: what all sessions share, and prepared media. */
import type { Clock } from '../domain/clock.ts';
import type { SuppressionStore } from '../domain/chats/suppressions.ts';
import type { Network } from '../domain/network.ts';
import type { SessionCredentials, GroupStore, MessageStore, StatusStore } from '../domain/stores.ts';
import type { Logger } from '../log.ts';
import { boundedCache } from './library/bounded-cache.ts';
import { type DeviceMemory, makeDeviceMemory, makeSharedMemory } from './state/device-memory.ts';
import type { Endpoint } from './connection/endpoint.ts';
import { throughTunnel, type Tunnel } from './connection/tunnel.ts';
import { encipherBytes, encipherStream } from './media/encipher.ts';
import { MediaProcess, ofContainers } from './media/media-process.ts';
import { Preparation } from './media/prepare.ts';
import type { TemporaryFiles } from './media/temporary-files.ts';
import { adoptFiles, releaseFiles } from './adoption/files.ts';
import { rereadMessages } from './receive/reread.ts';
import { makeMessageId, partIdOf } from './send/message-stanza.ts';
import { type ProbePace, Probes } from './connection/probe.ts';
import { unreachableBecause } from './connection/reach.ts';
import { DeviceCaptures } from './capture/captures.ts';
import { useNativeCurve, shrinkBufferPool, logUnhandledRejections } from './library/process.ts';
import { startSession } from './connection.ts';
import type { QueryIds } from './socket/query.ts';
import { decipherKept } from './media/download.ts';

export interface WhatsAppOptions {
  readonly credentials: SessionCredentials;
  readonly messages: MessageStore;
  readonly groups: GroupStore;
  readonly statuses: Pick<StatusStore, 'find' | 'audience'>;
  /** Their calls are not answered. Default: nobody. */
  readonly suppressions?: Pick<SuppressionStore, 'has'>;
  readonly endpoint: Endpoint;
  readonly tunnel: (proxy: string) => Tunnel;
  readonly files: TemporaryFiles;
  readonly ffmpeg: string | null;
  readonly maxBytes: number;
  /** Default: the bundled ones. */
  readonly queryIds?: QueryIds | undefined;
  /** Default: `usualPace`. */
  readonly probePace?: ProbePace | undefined;
  /** Prekeys that a new device publishes. Default: as many as the network's own apps. */
  readonly firstPreKeys?: number | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

const maxRemembered = 1_000;

export const makeWhatsApp = (options: WhatsAppOptions): Network => {
  shrinkBufferPool();
  useNativeCurve();
  logUnhandledRejections(options.log);
  const memories = boundedCache<DeviceMemory>(maxRemembered);
  const shared = makeSharedMemory();
  // Under another lease the device was elsewhere meanwhile, and these caches are outdated.
  const memoryOf = (deviceId: number, epoch: number | null = null): DeviceMemory => {
    const name = `${deviceId}/${epoch ?? ''}`;
    const known = memories.get(name);
    const memory = known ?? makeDeviceMemory(name, shared);
    memories.set(name, memory);
    return memory;
  };
  const reader = new MediaProcess();
  const preparation = new Preparation({ ...options, pictures: reader, containers: new MediaProcess(ofContainers) });
  const captures = new DeviceCaptures(options.clock);
  const probes = new Probes(options.clock, options.probePace);
  return {
    connect(connect, listener) {
      const { deviceId, epoch } = connect;
      const proxy = connect.settings?.proxy ?? null;
      return startSession(
        {
          ...options,
          ...connect,
          ...(proxy !== null && { endpoint: throughTunnel(options.endpoint, options.tunnel(proxy), connect.reached) }),
          memory: memoryOf(deviceId, epoch),
          probes,
          tap: captures.tap(deviceId),
        },
        listener,
      );
    },
    adoptSession: adoptFiles,
    releaseSession: (credentials, keys) => releaseFiles(credentials, keys, options.clock.now()),
    reread: (deviceId, messages) =>
      rereadMessages({ deviceId, store: options.credentials, now: options.clock.now() }, messages),
    encipher: (source, kind) =>
      source instanceof Uint8Array ? encipherBytes(source, kind) : encipherStream(source, kind, options.files),
    decipher: decipherKept,
    prepareFile: (file, wanted, caption, request) => preparation.file(file, wanted, caption, request),
    preparePicture: (bytes, request) => reader.picture(bytes, request),
    readPage: (bytes, contentType, request) => reader.page(bytes, contentType, request),
    newMessageId: makeMessageId,
    partId: partIdOf,
    captures,
    unread: shared.unread,
    reach: () => unreachableBecause(options.endpoint.socketUrl),
    sandbox: options.endpoint.sandbox,
  };
};
