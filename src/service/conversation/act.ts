/** Runs an act on the open session of a device. */
import type { Conversation } from '../../domain/chats/conversation.ts';
import type { NetworkSession } from '../../domain/network.ts';
import { ownedDevice } from '../devices/access.ts';
import type { LiveParts } from '../parts.ts';
import { deviceNotConnected, HandsetError } from '../../errors.ts';
import { isLinkLost, openSession, waitOf } from '../sending/readiness.ts';

/** Waits for a link that is coming back. Throws DeviceNotFound for another user's device, DeviceNotConnected and DeviceNotAuthenticated. */
export const onOpenSession = async <T>(
  parts: LiveParts,
  userId: number,
  deviceId: number,
  act: (session: NetworkSession) => Promise<T>,
): Promise<T> => {
  const runtime = parts.runtimes.of(await ownedDevice(parts.stores.devices, userId, deviceId));
  return runtime.work(async () => {
    const session = await openSession(runtime, '', parts.clock, waitOf(parts));
    try {
      return await act(session);
    } catch (error) {
      const mayBeLost = !(error instanceof HandsetError) || error.name === 'SendFailed';
      throw mayBeLost && (await isLinkLost(runtime, session)) ? deviceNotConnected(deviceId) : error;
    }
  });
};

/** An act of a conversation, as `onOpenSession`. */
export const onSession = <T>(
  parts: LiveParts,
  userId: number,
  deviceId: number,
  act: (conversation: Conversation) => Promise<T>,
): Promise<T> => onOpenSession(parts, userId, deviceId, ({ conversation }) => act(conversation));
