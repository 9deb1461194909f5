/** Takes an image to the network's media hosts: encrypted from memory, without a file in between, over connections that stay open. */
import { Readable } from 'node:stream';
import type { proto, WASocket } from 'baileys';
import type { Clock } from '../domain/clock.ts';
import type { OutgoingImage } from '../domain/message.ts';
import type { Logger } from '../log.ts';
import type { Endpoint } from './endpoint.ts';
import { type EncipheredMedia, encipherImage } from './media-encipher.ts';

/** Without a byte that goes or comes; the whole request has its own deadline. */
const silenceMs = 20_000;

export interface Uploader {
  readonly sock: Pick<WASocket, 'refreshMediaConn'>;
  readonly endpoint: Pick<Endpoint, 'dispatcher'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
}

interface Place {
  readonly url: string | null;
  readonly directPath: string | null;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** What a host answers that has taken a file. */
const placeOf = (answer: unknown): Place => {
  const { url, direct_path: path } = (typeof answer === 'object' && answer !== null ? answer : {}) as {
    readonly url?: unknown;
    readonly direct_path?: unknown;
  };
  const place = { url: textOf(url), directPath: textOf(path) };
  if (place.url === null && place.directPath === null) throw new Error('a media host answers without a place');
  return place;
};

const put = async ({ endpoint }: Uploader, host: string, auth: string, file: EncipheredMedia): Promise<Place> => {
  const token = Buffer.from(file.encryptedSha256).toString('base64url');
  const body = file.body();
  const answer = await endpoint.dispatcher.request({
    origin: `https://${host}`,
    path: `/mms/image/${token}?auth=${encodeURIComponent(auth)}&token=${token}`,
    method: 'POST',
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(file.length),
      origin: 'https://web.whatsapp.com',
    },
    body: body instanceof Uint8Array ? body : Readable.from(body, { objectMode: false }),
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`a media host answers ${answer.statusCode}`);
  return placeOf(JSON.parse(text));
};

/** All hosts that the network names, and once more with a new authorization: a file that comes twice is the same one there. */
const store = async (uploader: Uploader, file: EncipheredMedia): Promise<Place> => {
  let cause: unknown;
  for (const anew of [false, true]) {
    const { hosts, auth } = await uploader.sock.refreshMediaConn(anew);
    for (const { hostname } of hosts) {
      try {
        return await put(uploader, hostname, auth, file);
      } catch (error) {
        cause = error;
        uploader.log.debug({ reason: error instanceof Error ? error.message : 'unknown' }, 'an upload failed');
      }
    }
  }
  throw new Error('no media host takes the image', { cause });
};

/** Throws when no media host takes the image. */
export const uploadImage = async (uploader: Uploader, image: OutgoingImage): Promise<proto.IMessage> => {
  const file = await encipherImage(image.bytes);
  const { url, directPath } = await store(uploader, file);
  return {
    imageMessage: {
      url,
      directPath,
      mediaKey: file.mediaKey,
      mediaKeyTimestamp: Math.floor(uploader.clock.now() / 1000),
      fileSha256: file.sha256,
      fileEncSha256: file.encryptedSha256,
      fileLength: image.bytes.length,
      mimetype: image.mimetype,
      jpegThumbnail: image.thumbnail,
      width: image.width,
      height: image.height,
      ...(image.caption === null ? {} : { caption: image.caption }),
    },
  };
};
