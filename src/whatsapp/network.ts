/** The network port on WhatsApp: sessions over Baileys, images prepared for its apps. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../domain/clock.ts';
import type { Network } from '../domain/network.ts';
import type { SessionCredentials, MessageStore } from '../domain/stores.ts';
import type { Logger } from '../log.ts';
import { BoundedCache } from './bounded-cache.ts';
import { type DeviceMemory, makeDeviceMemory } from './device-memory.ts';
import type { Endpoint } from './endpoint.ts';
import { keepFrameKeys } from './frame-keys.ts';
import { prepareImage } from './image.ts';
import type { ProbePace } from './probe.ts';
import { startSession } from './session.ts';
import { verifySignatures } from './signatures.ts';

export interface WhatsAppOptions {
  readonly credentials: SessionCredentials;
  readonly messages: MessageStore;
  readonly endpoint: Endpoint;
  /** Where the interface is reached, with `/v1`: media URLs begin with it. */
  readonly baseUrl: () => string;
  /** How soon a connection is found to be deaf; the usual where it is not given. */
  readonly probePace?: ProbePace | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** More devices than this do not keep their caches between connections. */
const maxRemembered = 1_000;

export const makeWhatsApp = (options: WhatsAppOptions): Network => {
  verifySignatures();
  keepFrameKeys();
  const memories = new BoundedCache<DeviceMemory>(maxRemembered);
  // Under another lease the device was elsewhere meanwhile, and what it has learned there is not known here.
  const memoryOf = (deviceId: number, epoch: number | null = null): DeviceMemory => {
    const name = `${deviceId}/${epoch ?? ''}`;
    const known = memories.get(name);
    const memory = known ?? makeDeviceMemory();
    memories.set(name, memory);
    return memory;
  };
  /** Ids made here that nobody has tried to send yet. */
  const untried = new BoundedCache<true>(10_000);
  const isNew = (messageId: string): boolean => {
    const known = untried.get(messageId) === true;
    untried.del(messageId);
    return known;
  };
  return {
    connect(connect, listener) {
      const { deviceId, epoch } = connect;
      return startSession(
        {
          ...options,
          ...connect,
          memory: memoryOf(deviceId, epoch),
          isNew,
          mediaUrl: (messageId) =>
            `${options.baseUrl()}/devices/${deviceId}/messages/${encodeURIComponent(messageId)}/media`,
        },
        listener,
      );
    },
    prepareImage,
    // As the network's own apps for the web make them.
    newMessageId(elsewhere = false) {
      const id = `3EB0${randomBytes(9).toString('hex').toUpperCase()}`;
      if (!elsewhere) untried.set(id, true);
      return id;
    },
    sandbox: options.endpoint.sandbox,
  };
};
