/** Runs an action on a device's open session. */
import type { Conversation } from '../../domain/chats/conversation.ts';
import type { NetworkSession } from '../../domain/network.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceScope } from '../sessions/scope.ts';
import { deviceNotConnected, HandsetError } from '../../errors.ts';
import { isLinkLost, openSession, waitOf } from '../sending/readiness.ts';

export const onOpenSession = async <T>(
  parts: LiveParts,
  scope: DeviceScope,
  act: (session: NetworkSession) => Promise<T>,
): Promise<T> => {
  const runtime = await scope.runtime();
  return runtime.work(async () => {
    const session = await openSession(runtime, '', parts.clock, waitOf(parts));
    try {
      return await act(session);
    } catch (error) {
      const mayBeLost = !(error instanceof HandsetError) || error.name === 'SendFailed';
      throw mayBeLost && (await isLinkLost(runtime, session)) ? deviceNotConnected(scope.id) : error;
    }
  });
};

export const onSession = <T>(
  parts: LiveParts,
  scope: DeviceScope,
  act: (conversation: Conversation) => Promise<T>,
): Promise<T> => onOpenSession(parts, scope, ({ conversation }) => act(conversation));
