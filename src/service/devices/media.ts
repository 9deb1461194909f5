/** The decrypted media of a received message, as a stream (docs/spec/messages.md, Media). */
import { HandsetError, notFound } from '../../errors.ts';
import { ownedDevice } from './access.ts';
import type { LiveParts } from '../parts.ts';
import { adviceToConnect, openSession, waitOf } from '../sending/readiness.ts';

export interface DownloadedMedia {
  readonly mimetype: string;
  readonly bytes: number | null;
  readonly fileName: string | null;
  readonly stream: AsyncIterable<Uint8Array>;
}

/** Throws NotFound for a message that does not exist or has no media; the same as a send without a session. */
export const downloadMedia = async (
  parts: LiveParts,
  userId: number,
  id: number,
  messageId: string,
  chat?: string,
): Promise<DownloadedMedia> => {
  const { stores, runtimes, clock } = parts;
  const record = await ownedDevice(stores.devices, userId, id);
  const message = await stores.messages.find(id, messageId, chat);
  if (message === null) throw notFound('Message');
  if (message.viewOnce) throw new HandsetError('NotFound', 'The media of a view-once message is not served');
  if (message.media === null) throw notFound('Media');
  const wait = waitOf(parts);
  const session = await openSession(runtimes.of(record), adviceToConnect, clock, wait);
  const { mimetype, bytes, fileName } = message.media;
  const stream = await session.downloadMedia(message, Math.max(0, wait.until - clock.now()));
  return { mimetype, bytes, fileName, stream };
};
