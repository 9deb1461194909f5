/** Takes this device off the account's list of linked devices. */
import { S_WHATSAPP_NET, type WASocket } from 'baileys';
import { HandsetError } from '../errors.ts';

const timeoutMs = 8_000;

/** Baileys' own logout does not wait for the answer. The network may answer by ending the connection: that is done, too. */
export const removeCompanionDevice = async (sock: WASocket, deviceId: number): Promise<void> => {
  const failed = (cause: unknown): HandsetError =>
    new HandsetError('DisconnectFailed', `Failed to disconnect device ${deviceId}`, { cause });
  const jid = sock.authState.creds.me?.id;
  if (jid === undefined) throw failed(new Error('No account is linked'));

  const ended = Promise.withResolvers<'ended'>();
  const onUpdate = ({ connection }: { connection?: string }): void => {
    if (connection === 'close') ended.resolve('ended');
  };
  sock.ev.on('connection.update', onUpdate);
  const request = {
    tag: 'iq',
    attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'md' },
    content: [{ tag: 'remove-companion-device', attrs: { jid, reason: 'user_initiated' } }],
  };
  try {
    const asked: Promise<unknown> = sock.query(request, timeoutMs);
    const answer = await Promise.race([asked.catch((error: unknown) => afterEnd(ended.promise, error)), ended.promise]);
    if (answer === undefined) throw new Error('the network did not answer');
  } catch (error) {
    throw failed(error);
  } finally {
    sock.ev.off('connection.update', onUpdate);
  }
};

/** A query fails when the connection ends, a moment before the end is told. */
const afterEnd = async (ended: Promise<'ended'>, error: unknown): Promise<'ended'> => {
  const moment = new Promise<'still open'>((resolve) => {
    setTimeout(() => resolve('still open'), 2_000).unref();
  });
  if ((await Promise.race([ended, moment])) === 'ended') return 'ended';
  throw error;
};
