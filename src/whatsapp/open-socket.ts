/** Opens a device's socket over its stores: credentials, keys, the Signal repository, and the messages sent. */
import { type Opened, openSocket } from './engine/line/socket.ts';
import type { Tap } from './engine/line/line.ts';
import { forEngine } from './engine/bounded-cache.ts';
import { proto } from './engine/proto.ts';
import type { AuthenticationCreds, SignalDataSet, SocketConfig } from './engine/types.ts';
import type { MessageStore } from '../domain/stores.ts';
import type { Logger } from '../log.ts';
import { makeKeyStore } from './signal/key-store.ts';
import type { LidMapping } from './signal/lid-mapping.ts';
import { Locks } from './signal/signal-records.ts';
import { makeRepository, type OnPlaintext, type OnUndecryptable, type Repository } from './signal/repository.ts';
import { bundledRevision } from './login/client-version/bundled.ts';
import type { DeviceMemory } from './login/device-memory.ts';
import type { Endpoint } from './login/endpoint.ts';
import { loginPayloadOf } from './login/login-payload.ts';
import type { SessionStore } from './login/session-store.ts';

export interface DeviceSocketOptions {
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  readonly store: SessionStore;
  readonly messages: MessageStore;
  readonly memory: DeviceMemory;
  readonly lidMapping: LidMapping;
  readonly endpoint: Endpoint;
  /** The bundled one where it is not given. */
  readonly clientRevision?: number | undefined;
  readonly online: boolean;
  readonly fullHistory?: boolean;
  readonly tap: Tap;
  readonly onPlaintext: OnPlaintext;
  readonly onUndecryptable: OnUndecryptable;
  /** Messages that their sender is not asked for any more. */
  readonly isSpent: (messageId: string) => boolean;
  /** Called while the socket is made. */
  readonly onRepository: (repository: Repository) => void;
  /** Told of the keys that Baileys sets. */
  readonly onKeysSet: (data: SignalDataSet) => void;
  readonly onStoreFailure: (error: unknown) => void;
  readonly log: Logger;
}

/** Retries are answered from the store, also after a restart of the service. */
const storedMessage =
  ({ messages, deviceId }: DeviceSocketOptions): SocketConfig['getMessage'] =>
  async ({ id }) => {
    const record = id ? await messages.find(deviceId, id, undefined, true) : null;
    // A deleted message is not sent again, no matter who asks for it (Baileys #2820, 2026).
    if (record === null || record.deletedAt !== null) return undefined;
    return record.direction === 'out' && record.content !== null ? proto.Message.decode(record.content) : undefined;
  };

export const openDeviceSocket = (options: DeviceSocketOptions): Opened => {
  const { deviceId, creds, store, memory, endpoint, isSpent, log } = options;
  const locks = new Locks();
  const makeSignal = makeRepository({ ...options, locks });
  return openSocket({
    deviceId,
    creds,
    keys: makeKeyStore({ deviceId, store, locks, onSet: options.onKeysSet }),
    endpoint,
    online: options.online,
    fullHistory: options.fullHistory === true,
    tap: options.tap,
    loginPayload: () => loginPayloadOf(creds),
    clientRevision: options.clientRevision ?? bundledRevision.revision,
    makeSignalRepository(...given) {
      const repository = makeSignal(...given);
      options.onRepository(repository);
      return repository;
    },
    getMessage: storedMessage(options),
    userDevices: forEngine(memory.userDevices),
    isSpent,
    log,
  });
};
