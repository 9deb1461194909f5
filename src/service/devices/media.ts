/** Decrypted media of a received message, from kept files or the network (docs/spec/messages.md, Media). */
import { HandsetError, messageOf, notFound } from '../../errors.ts';
import type { MessageRecord } from '../../domain/message.ts';
import {
  type ByteRange,
  type KeptMedia,
  MediaFileMissing,
  MediaStoreUnavailable,
} from '../../domain/messages/kept-media.ts';
import { checkedRead } from '../media/pieces.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceScope } from '../sessions/runtimes.ts';
import { adviceToConnect, openSession, waitOf } from '../sending/readiness.ts';

type Pieces = AsyncIterable<Uint8Array>;

export interface DownloadedMedia {
  readonly mimetype: string;
  readonly fileName: string | null;
  /** Length of a kept file, which can be read in ranges; null: the network sends the whole file. */
  readonly bytes: number | null;
  /** `kept` false: the whole file, from the network. Throws NotFound, and what sends throw without a session. */
  open(range: ByteRange | null): Promise<{ readonly stream: Pieces; readonly kept: boolean }>;
}

const fromNetwork = async (parts: LiveParts, scope: DeviceScope, message: MessageRecord): Promise<Pieces> => {
  const { stores, clock } = parts;
  const wait = waitOf(parts);
  const runtime = await scope.runtime();
  const session = await openSession(parts, runtime, adviceToConnect, wait);
  const stream = await session.downloadMedia(message, Math.max(0, wait.until - clock.now()));
  if (runtime.settings.media === 'network') return stream;
  // The phone has re-uploaded it for this caller, so it can be kept after all.
  const failed = await stores.keptMedia.findFailed(scope.id, message.id, message.chat);
  if (failed === null) return stream;
  await stores.keptMedia.fetchAgain(failed, clock.now());
  parts.mediaFetcher.look();
  return stream;
};

const isUnreadable = (error: unknown): error is MediaFileMissing | MediaStoreUnavailable =>
  error instanceof MediaFileMissing || error instanceof MediaStoreUnavailable;

/** A missing or changed file is fetched again. */
const report = async (
  parts: LiveParts,
  { n, deviceId }: KeptMedia,
  error: MediaFileMissing | MediaStoreUnavailable,
) => {
  const { stores, clock, mediaFetcher, log } = parts;
  log.error({ deviceId, reason: messageOf(error) }, 'kept media cannot be read');
  if (error instanceof MediaFileMissing) await stores.keptMedia.fetchAgain(n, clock.now());
  mediaFetcher.look();
};

const fromStore = async (
  parts: LiveParts,
  message: MessageRecord,
  kept: KeptMedia,
  range: ByteRange | null,
): Promise<Pieces | null> => {
  const { keptFiles, network } = parts;
  if (keptFiles === undefined || keptFiles === null) return null;
  let stream: Pieces;
  try {
    const read = checkedRead(kept.pieces, (from, to) => keptFiles.read(kept, from, to));
    stream = await network.decipher(message, { bytes: kept.bytes, read }, range);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    await report(parts, kept, error);
    return null;
  }
  return (async function* watched() {
    try {
      yield* stream;
    } catch (error) {
      if (isUnreadable(error)) await report(parts, kept, error);
      throw error;
    }
  })();
};

/** Throws NotFound if there is no such message, or it has no media. */
export const downloadMedia = async (
  parts: LiveParts,
  scope: DeviceScope,
  messageId: string,
  chat?: string,
): Promise<DownloadedMedia> => {
  const { stores } = parts;
  const { id } = scope;
  const message = await stores.messages.find(id, messageId, chat);
  if (message === null) throw notFound('Message');
  if (message.viewOnce) throw new HandsetError('NotFound', 'The media of a view-once message is not served');
  if (message.media === null) throw notFound('Media');
  const { mimetype, fileName } = message.media;
  const kept = await stores.keptMedia.find(id, message.id, message.chat);
  return {
    mimetype,
    fileName,
    bytes: kept?.bytes ?? null,
    async open(range) {
      const stream = kept === null ? null : await fromStore(parts, message, kept, range);
      if (stream !== null) return { stream, kept: true };
      return { stream: await fromNetwork(parts, scope, message), kept: false };
    },
  };
};
