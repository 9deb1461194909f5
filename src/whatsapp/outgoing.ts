/** A message to be sent as the protocol's own: text at once, an image after its upload. */
import { Readable } from 'node:stream';
import { prepareWAMessageMedia, proto, type WASocket } from 'baileys';
import type { OutgoingContent, OutgoingImage } from '../domain/message.ts';
import type { Endpoint } from './endpoint.ts';
import { engineLog } from './engine-log.ts';
import type { Logger } from '../log.ts';
import { randomOf } from './random.ts';

/** Images of one device that are on their way to the media hosts at a time. */
const maxUploads = 4;

/** The uploads of one connection. */
export class Uploads {
  #free = maxUploads;
  readonly #waiting: (() => void)[] = [];

  async run<T>(upload: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await upload();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

/** Per media host; the whole request has its own deadline. */
const uploadTimeoutMs = 20_000;

export interface Uploader {
  readonly sock: WASocket;
  readonly uploads: Uploads;
  readonly endpoint: Endpoint;
  readonly log: Logger;
}

const pieceBytes = 1_048_576;

/** Piece by piece: as a whole it would be encrypted, and written to the file that is uploaded, as a whole too. */
function* pieces(bytes: Uint8Array): Generator<Buffer> {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < all.length; at += pieceBytes) yield all.subarray(at, at + pieceBytes);
}

const upload = async ({ sock, log }: Uploader, image: OutgoingImage): Promise<proto.IMessage> =>
  prepareWAMessageMedia(
    {
      image: { stream: Readable.from(pieces(image.bytes)) },
      mimetype: image.mimetype,
      // As base64, though the protocol's field is bytes: it is put through the protobuf's `fromObject`.
      jpegThumbnail: Buffer.from(image.thumbnail).toString('base64'),
      width: image.width,
      height: image.height,
      ...(image.caption === null ? {} : { caption: image.caption }),
    },
    { upload: sock.waUploadToServer, mediaUploadTimeoutMs: uploadTimeoutMs, logger: engineLog(log) },
  );

/** Throws when no media host takes the image. */
export const composeMessage = async (uploader: Uploader, content: OutgoingContent): Promise<proto.IMessage> => {
  const message =
    content.kind === 'text'
      ? { extendedTextMessage: { text: content.text } }
      : await uploader.uploads.run(() => upload(uploader, content.image));
  // The secret lets the network's apps report the message, and lets others refer to it.
  return proto.Message.create({ ...message, messageContextInfo: { messageSecret: randomOf(32) } });
};
