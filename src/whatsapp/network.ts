/** The network port on WhatsApp: sessions over Baileys, images prepared for its apps. */
import type { Clock } from '../domain/clock.ts';
import type { SuppressionStore } from '../domain/chats/suppressions.ts';
import type { Network, ConnectOptions, NetworkSession, SessionListener } from '../domain/network.ts';
import type { SessionCredentials, GroupStore, MessageStore } from '../domain/stores.ts';
import type { Logger } from '../log.ts';
import { boundedCache } from './engine/bounded-cache.ts';
import { type DeviceMemory, makeDeviceMemory, makeSharedMemory } from './state/device-memory.ts';
import type { Endpoint } from './connection/endpoint.ts';
import { throughTunnel, type Tunnel } from './connection/tunnel.ts';
import { encipherBytes, encipherStream } from './media/encipher.ts';
import { MediaProcess, ofContainers } from './media/media-process.ts';
import { Preparation } from './media/prepare.ts';
import type { TemporaryFiles } from './media/temporary-files.ts';
import { rereadMessages } from './receive/reread.ts';
import { makeMessageId } from './send/message-stanza.ts';
import { type ProbePace, Probes } from './connection/probe.ts';
import { unreachableBecause } from './connection/reach.ts';
import { DeviceCaptures } from './capture/captures.ts';
import { useNativeCurve, shrinkBufferPool, logUnhandledRejections } from './engine/process.ts';
import { conversationOf } from './conversation/acts.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { groupsOf } from './groups/acts.ts';
import { type AskAgain, decipherKept, downloadMedia, fetchMedia } from './media/download.ts';
import { notAsked } from './media/reuploads.ts';
import { removeCompanionDevice } from './login/log-out.ts';
import { lookUp } from './identity/look-up.ts';
import { sendMessage } from './send/send.ts';

export interface WhatsAppOptions {
  readonly credentials: SessionCredentials;
  readonly messages: MessageStore;
  readonly groups: GroupStore;
  /** Callers who are listed get no answer; nobody is where it is left out. */
  readonly suppressions?: Pick<SuppressionStore, 'has'>;
  readonly endpoint: Endpoint;
  /** Connections through the proxy of a device, by its URL. */
  readonly tunnel: (proxy: string) => Tunnel;
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

type SessionOptions = ConnectionOptions & ConnectOptions;

/** Connects at once; what comes of it is told to the listener. */
const startSession = (options: SessionOptions, listener: SessionListener): NetworkSession => {
  const { deviceId, endpoint } = options;
  const connection = new Connection(options, listener);
  void connection.start();
  return {
    deviceId,
    async lookUp(number) {
      const session = connection.open;
      return session.memory.accounts.get(number) ?? session.lookUps(() => lookUp(session, number));
    },
    send: async (message, address) => sendMessage(connection.open, message, address),
    writeAppState: async (mutations) => connection.open.appState.write(mutations),
    async downloadMedia(message, waitMs) {
      const { sock, reuploads } = connection.open;
      return downloadMedia(sock, endpoint, message, (...gone) => reuploads.pathOf(...gone, waitMs));
    },
    async fetchMedia(message, waitMs, wish) {
      const { sock, reuploads } = connection.open;
      const askAgain: AskAgain = (...gone) =>
        waitMs === null ? Promise.reject(notAsked()) : reuploads.pathOf(...gone, waitMs);
      return fetchMedia(sock, endpoint, message, { ...wish, askAgain });
    },
    answerPasskey: async (credential) => connection.pairing.answerPasskey(credential),
    confirmPasskey: async () => connection.pairing.confirmPasskey(),
    conversation: conversationOf(() => connection.open),
    groups: groupsOf(() => connection.open),
    applySettings: (settings) => connection.applySettings(settings),
    async logout() {
      if (connection.isOpen) await connection.leaving((session) => removeCompanionDevice(session, deviceId));
      await connection.end({ kind: 'requested' });
    },
    close: () => connection.end({ kind: 'requested' }),
    cut: () => connection.cut(),
  };
};

export const makeWhatsApp = (options: WhatsAppOptions): Network => {
  shrinkBufferPool();
  useNativeCurve();
  logUnhandledRejections(options.log);
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
    reread: (deviceId, messages) =>
      rereadMessages({ deviceId, store: options.credentials, now: options.clock.now() }, messages),
    encipher: (source, kind) =>
      source instanceof Uint8Array ? encipherBytes(source, kind) : encipherStream(source, kind, options.files),
    decipher: decipherKept,
    prepareFile: (file, wanted, caption, request) => preparation.file(file, wanted, caption, request),
    preparePicture: (bytes, request) => reader.picture(bytes, request),
    readPage: (bytes, contentType, request) => reader.page(bytes, contentType, request),
    newMessageId: makeMessageId,
    captures,
    unread: shared.unread,
    reach: () => unreachableBecause(options.endpoint.socketUrl),
    sandbox: options.endpoint.sandbox,
  };
};
