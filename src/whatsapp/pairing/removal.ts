/** Takes this device off the phone's list of linked devices. */
import { HandsetError } from '../../errors.ts';
import { closeErrorOf } from '../connection/disconnect-reason.ts';
import { S_WHATSAPP_NET } from '../library/nodes.ts';
import type { Session } from '../session.ts';

const timeoutMs = 8_000;
const endIsToldMs = 2_000;

/** The network answers, or ends the connection of a device that is no longer linked. */
const removedCode = 401;

/** Throws DisconnectFailed if the phone may still list the device. */
export const removeCompanionDevice = async ({ sock, whenEnded }: Session, deviceId: number): Promise<void> => {
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
