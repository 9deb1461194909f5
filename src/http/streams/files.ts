/** Files of messages and statuses as answers. */
import { Readable } from 'node:stream';

/** Types that a browser shows, and may. */
export const inline = /^(?:image\/(?:png|jpeg|gif|webp)|video\/|audio\/)/;

/** The sender chose the type: only a plain one goes into a header. */
export const safeType = (mimetype: string): string =>
  /^[\w.+-]{1,64}\/[\w.+-]{1,64}(?:; ?codecs=[\w.+-]{1,32})?$/.test(mimetype) ? mimetype : 'application/octet-stream';

/** Fetches the first piece before the answer begins, so that an error can still have its status. */
export const begun = async (stream: AsyncIterable<Uint8Array>): Promise<Readable> => {
  const pieces = stream[Symbol.asyncIterator]();
  const first = await pieces.next();
  const all = async function* (): AsyncGenerator<Uint8Array> {
    if (first.done !== true) yield first.value;
    for (let piece = await pieces.next(); piece.done !== true; piece = await pieces.next()) yield piece.value;
  };
  // Also if the reader has gone before it began.
  return Readable.from(all(), { objectMode: false }).once('close', () => void pieces.return?.().catch(() => {}));
};
