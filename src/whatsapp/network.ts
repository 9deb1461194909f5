/** The network port on WhatsApp: sessions, and prepared media. */
import type { Clock } from '../domain/clock.ts';
import type { SuppressionStore } from '../domain/chats/suppressions.ts';
import type { Network, ConnectOptions, NetworkSession, SessionListener } from '../domain/network.ts';
import type { SessionCredentials, GroupStore, MessageStore, StatusStore } from '../domain/stores.ts';
import { HandsetError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { closeErrorOf } from './connection/disconnect-reason.ts';
import { boundedCache } from './library/bounded-cache.ts';
import { S_WHATSAPP_NET } from './library/nodes.ts';
import type { Session } from './session.ts';
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
import { conversationOf } from './conversation/acts.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { channelsOf } from './channels/acts.ts';
import { groupsOf } from './groups/acts.ts';
import type { QueryIds } from './socket/query.ts';
import { type AskAgain, decipherKept, downloadMedia, fetchMedia } from './media/download.ts';
import { notAsked } from './media/reuploads.ts';
import { lookUp } from './identity/look-up.ts';
import { sendMessage, uploadContent } from './send/send.ts';
import { statusesOf } from './statuses/acts.ts';

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
  readonly clock: Clock;
  readonly log: Logger;
}

const maxRemembered = 1_000;

type SessionOptions = ConnectionOptions & ConnectOptions;

const timeoutMs = 8_000;
const endIsToldMs = 2_000;

/** The network answers, or ends the connection of a device that is no longer linked. */
const removedCode = 401;

/** Throws DisconnectFailed if the phone may still list the device. */
const removeCompanionDevice = async ({ sock, whenEnded }: Session, deviceId: number): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onEnd = (error: unknown): void => {
    if (closeErrorOf(error).code === removedCode) resolve();
    else reject(new Error('the connection was lost'));
  };
  const request = {
    tag: 'iq',
    attrs: { to: S_WHATSAPP_NET, type: 'set', id: sock.nextId(), xmlns: 'md' },
    content: [{ tag: 'remove-companion-device', attrs: { jid: sock.creds.me?.id ?? '', reason: 'user_initiated' } }],
  };
  whenEnded.add(onEnd);
  try {
    // A query fails a moment before the end of the connection is reported, which says more.
    sock
      .query(request, timeoutMs)
      .then(() => resolve())
      .catch((error: unknown) => setTimeout(() => reject(error), endIsToldMs).unref());
    await promise;
  } catch (cause) {
    throw new HandsetError('DisconnectFailed', `Failed to disconnect device ${deviceId}`, { cause });
  } finally {
    whenEnded.delete(onEnd);
  }
};

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
    upload: async (content, signal) => uploadContent(connection.open, content, signal),
    writeAppState: async (mutations) => connection.open.appState.write(mutations),
    async downloadMedia(message, waitMs) {
      const { sock, reuploads } = connection.open;
      return downloadMedia(sock, endpoint, message, (...gone) => reuploads.pathOf(...gone, waitMs));
    },
    async fetchMedia(message, waitMs, request) {
      const { sock, reuploads } = connection.open;
      const askAgain: AskAgain = (...gone) =>
        waitMs === null ? Promise.reject(notAsked()) : reuploads.pathOf(...gone, waitMs);
      return fetchMedia(sock, endpoint, message, { ...request, askAgain });
    },
    answerPasskey: async (credential) => connection.pairing.answerPasskey(credential),
    confirmPasskey: async () => connection.pairing.confirmPasskey(),
    conversation: conversationOf(() => connection.open),
    groups: groupsOf(() => connection.open),
    statuses: statusesOf(() => connection.open),
    channels: channelsOf(() => connection.open),
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
