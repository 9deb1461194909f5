/** Takes this device off the account's list of linked devices. */
import { S_WHATSAPP_NET } from '../engine/nodes.ts';
import type { WASocket } from '../engine/types.ts';
import { HandsetError } from '../../errors.ts';
import { closeErrorOf } from '../connection/disconnect-reason.ts';
import type { Session } from '../session.ts';

const timeoutMs = 8_000;
const endIsToldMs = 2_000;

const meId = ({ authState }: WASocket): string => authState.creds.me?.id ?? '';

/** The network answers, or ends the connection of a device that is no longer linked. */
const removedCode = 401;

/** Baileys' own logout does not wait for the answer. Throws DisconnectFailed when the phone may still list the device. */
export const removeCompanionDevice = async ({ sock, whenEnded }: Session, deviceId: number): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onEnd = (error: unknown): void => {
    if (closeErrorOf(error).code === removedCode) resolve();
    else reject(new Error('the connection was lost'));
  };
  const request = {
    tag: 'iq',
    attrs: { to: S_WHATSAPP_NET, type: 'set', id: sock.generateMessageTag(), xmlns: 'md' },
    content: [{ tag: 'remove-companion-device', attrs: { jid: meId(sock), reason: 'user_initiated' } }],
  };
  const ask = async (): Promise<void> => {
    const answer: unknown = await sock.query(request, timeoutMs);
    if (answer === undefined) reject(new Error('the network did not answer'));
    else resolve();
  };
  whenEnded.add(onEnd);
  try {
    // A query fails a moment before the end of the connection is told, and that tells more.
    ask().catch((error: unknown) => setTimeout(() => reject(error), endIsToldMs).unref());
    await promise;
  } catch (cause) {
    throw new HandsetError('DisconnectFailed', `Failed to disconnect device ${deviceId}`, { cause });
  } finally {
    whenEnded.delete(onEnd);
  }
};
