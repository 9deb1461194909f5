/** Takes an image to the network's media hosts: encrypted from memory, without a file in between, over connections that stay open. */
import type { ClientRequest } from 'node:http';
import { type RequestOptions, request as open } from 'node:https';
import type { proto } from '../engine/proto.ts';
import type { WASocket } from '../engine/types.ts';
import type { Clock } from '../../domain/clock.ts';
import type { OutgoingImage } from '../../domain/messages/outgoing.ts';
import type { Logger } from '../../log.ts';
import type { Endpoint } from '../login/endpoint.ts';
import { type EncipheredMedia, encipherImage } from './encipher.ts';

/** Without a byte that goes or comes; the whole request has its own deadline. */
const silenceMs = 20_000;
/** An answer is a few hundred bytes, which come at once; what is sent behind this image waits for it. */
const longestAnswer = 65_536;
const answerMs = 20_000;

/** Images of one device that are uploaded at a time. */
export const maxUploads = 4;

export interface Uploader {
  readonly sock: Pick<WASocket, 'refreshMediaConn'>;
  readonly endpoint: Pick<Endpoint, 'uploadAgent'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
}

interface UploadTarget {
  readonly url: string | null;
  readonly directPath: string | null;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** The answer of a host that has accepted a file. */
const targetOf = (answer: unknown): UploadTarget => {
  const { url, direct_path: path } = (typeof answer === 'object' && answer !== null ? answer : {}) as {
    readonly url?: unknown;
    readonly direct_path?: unknown;
  };
  const target = { url: textOf(url), directPath: textOf(path) };
  if (target.url === null && target.directPath === null) throw new Error("the media host's answer has no URL");
  return target;
};

/** Sends a request, which `write` makes whole, and gives the answer. */
const ask = (
  url: URL,
  options: RequestOptions,
  write: (request: ClientRequest) => Promise<void>,
): Promise<{ readonly status: number; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const asked = open(url, options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (text.length > longestAnswer) asked.destroy(new Error("the media host's answer is too long"));
      });
      answer.once('error', reject);
      const late = setTimeout(
        () => asked.destroy(new Error('the media host did not finish its answer in time')),
        answerMs,
      ).unref();
      answer.once('close', () => clearTimeout(late));
      answer.once('end', () => {
        const { statusCode: status = 0 } = answer;
        if (asked.writableEnded) resolve({ status, text });
        else asked.destroy(new Error(`a media host answers ${status} before it has all`));
      });
    });
    asked.on('error', reject);
    asked.once('timeout', () => asked.destroy(new Error('the media host did not respond in time')));
    write(asked).catch((error: unknown) => asked.destroy(error instanceof Error ? error : undefined));
  });

const written = (request: ClientRequest, piece: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    request.write(piece, (error) => (error ? reject(error) : resolve()));
  });

const put = async (
  { endpoint }: Uploader,
  host: string,
  auth: string,
  file: EncipheredMedia,
): Promise<UploadTarget> => {
  const token = Buffer.from(file.encryptedSha256).toString('base64url');
  const url = new URL(`https://${host}/mms/image/${token}?auth=${encodeURIComponent(auth)}&token=${token}`);
  const options = {
    method: 'POST',
    headers: {
      'content-type': 'application/octet-stream',
      origin: 'https://web.whatsapp.com',
      'content-length': file.length,
    },
    ...(endpoint.uploadAgent === undefined ? {} : { agent: endpoint.uploadAgent }),
    timeout: silenceMs,
  };
  const { status, text } = await ask(url, options, async (request) => {
    for (const piece of file.pieces()) {
      await written(request, piece);
      file.done(piece);
    }
    // Before these the host cannot have it all, and may not answer.
    request.end(file.end);
  });
  if (status !== 200) throw new Error(`a media host answers ${status}`);
  return targetOf(JSON.parse(text));
};

/** All hosts that the network names, and once more with a new authorization: a file that comes twice is the same one there. */
const store = async (uploader: Uploader, file: EncipheredMedia): Promise<UploadTarget> => {
  let cause: unknown;
  for (const anew of [false, true]) {
    const { hosts, auth } = await uploader.sock.refreshMediaConn(anew);
    for (const { hostname } of hosts) {
      try {
        const target = await put(uploader, hostname, auth, file);
        file.done();
        return target;
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
