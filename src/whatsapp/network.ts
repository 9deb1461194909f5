/** The network port on WhatsApp: sessions over Baileys, images prepared for its apps. */
import type { Clock } from '../domain/clock.ts';
import type { Network } from '../domain/network.ts';
import type { SessionCredentials, GroupStore, MessageStore } from '../domain/stores.ts';
import type { Logger } from '../log.ts';
import { boundedCache } from './engine/bounded-cache.ts';
import { type DeviceMemory, makeDeviceMemory, makeSharedMemory } from './login/device-memory.ts';
import type { Endpoint } from './login/endpoint.ts';
import { encipherBytes, encipherStream } from './media/encipher.ts';
import { MediaProcess } from './media/media-process.ts';
import { Preparation } from './media/prepare.ts';
import type { TemporaryFiles } from './media/temporary-files.ts';
import { rereadMessages } from './receive/reread.ts';
import { makeMessageId } from './send/message-stanza.ts';
import { type ProbePace, Probes } from './login/probe.ts';
import { startSession } from './session.ts';
import { DeviceCaptures } from './capture/captures.ts';
import { useNativeCurve } from './engine/native-curve.ts';
import { cutSmallBuffersFromSmallPieces } from './engine/buffer-pool.ts';
import { tellUnwatched } from './engine/unhandled-rejections.ts';

export interface WhatsAppOptions {
  readonly credentials: SessionCredentials;
  readonly messages: MessageStore;
  readonly groups: GroupStore;
  readonly endpoint: Endpoint;
  /** Base URL of the interface, with `/v1`: media URLs begin with it. */
  readonly baseUrl: () => string;
  /** Files that wait for their upload. */
  readonly files: TemporaryFiles;
  /** Path of ffmpeg; null: there is none. */
  readonly ffmpeg: string | null;
  /** Bytes that a converted file may have. */
  readonly maxBytes: number;
  /** How soon a connection is found to be deaf; the usual where it is not given. */
  readonly probePace?: ProbePace | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** More devices than this do not keep their caches between connections. */
const maxRemembered = 1_000;
const maxUntried = 10_000;

export const makeWhatsApp = (options: WhatsAppOptions): Network => {
  cutSmallBuffersFromSmallPieces();
  useNativeCurve();
  tellUnwatched(options.log);
  const memories = boundedCache<DeviceMemory>(maxRemembered);
  const shared = makeSharedMemory();
  // Under another lease the device was elsewhere meanwhile, and what it has learned there is not known here.
  const memoryOf = (deviceId: number, epoch: number | null = null): DeviceMemory => {
    const name = `${deviceId}/${epoch ?? ''}`;
    const known = memories.get(name);
    const memory = known ?? makeDeviceMemory(name, shared);
    memories.set(name, memory);
    return memory;
  };
  const mediaUrlOf = (deviceId: number) => (messageId: string) =>
    `${options.baseUrl()}/devices/${deviceId}/messages/${encodeURIComponent(messageId)}/media`;
  /** Message ids that nobody has tried to send yet: no store can know them. */
  const untried = boundedCache<true>(maxUntried);
  const reader = new MediaProcess();
  const preparation = new Preparation({ ...options, process: reader });
  const captures = new DeviceCaptures(options.clock);
  const probes = new Probes(options.clock, options.probePace);
  return {
    connect(connect, listener) {
      const { deviceId, epoch } = connect;
      return startSession(
        {
          ...options,
          ...connect,
          memory: memoryOf(deviceId, epoch),
          probes,
          tap: captures.tap(deviceId),
          isNew: (messageId) => untried.delete(messageId),
          mediaUrl: mediaUrlOf(deviceId),
        },
        listener,
      );
    },
    reread: (deviceId, messages) =>
      rereadMessages(
        { deviceId, store: options.credentials, mediaUrl: mediaUrlOf(deviceId), now: options.clock.now() },
        messages,
      ),
    encipher: (source, kind) =>
      source instanceof Uint8Array ? encipherBytes(source, kind) : encipherStream(source, kind, options.files),
    prepareFile: (file, wish, caption, signal) => preparation.file(file, wish, caption, signal),
    preparePicture: (bytes, signal) => reader.picture(bytes, signal),
    prepareImage: (bytes, caption, signal) => reader.image(bytes, caption, signal),
    newMessageId(elsewhere) {
      const id = makeMessageId();
      if (elsewhere !== true) untried.set(id, true);
      return id;
    },
    captures,
    sandbox: options.endpoint.sandbox,
  };
};
