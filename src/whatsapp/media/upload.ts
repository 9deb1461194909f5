/** Takes files to the network's media hosts, over connections that stay open. */
import type { ClientRequest } from 'node:http';
import { type RequestOptions, request as open } from 'node:https';
import type { proto } from '../engine/proto.ts';
import type { Clock } from '../../domain/clock.ts';
import type { EncipheredFile, MediaClass } from '../../domain/messages/media.ts';
import { isHostFailure, mediaHostFailed } from '../../domain/messages/media-hosts.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { Endpoint } from '../connection/endpoint.ts';
import { type MediaAsker, mediaConnection } from './media-connection.ts';

/** Without a byte that goes or comes; the whole request has its own deadline. */
const silenceMs = 20_000;
/** An answer is a few hundred bytes, which come at once; what is sent behind this file waits for it. */
const longestAnswer = 65_536;
const answerMs = 20_000;

/** Files of one device that are uploaded at a time. */
export const maxUploads = 4;

export interface Uploader {
  readonly sock: MediaAsker;
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

/** Refused with a status other than 200. */
class HostRefusal extends Error {
  readonly status: number;
  readonly retryAfter: string | undefined;

  constructor(status: number, retryAfter: string | undefined) {
    super(`a media host answers ${status}`);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** Sends a request, whose body `write` writes, and gives the answer. */
const ask = (
  url: URL,
  options: RequestOptions,
  write: (request: ClientRequest) => Promise<void>,
): Promise<{ readonly status: number; readonly text: string; readonly retryAfter: string | undefined }> =>
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
        const { statusCode: status = 0, headers } = answer;
        if (asked.writableEnded) resolve({ status, text, retryAfter: headers['retry-after'] });
        else asked.destroy(new HostRefusal(status, headers['retry-after']));
      });
    });
    asked.on('error', reject);
    asked.once('timeout', () => asked.destroy(new Error('the media host did not respond in time')));
    write(asked).catch((error: unknown) => asked.destroy(error instanceof Error ? error : undefined));
  });

const written = (request: ClientRequest, piece: Uint8Array, isLast: boolean): Promise<void> =>
  new Promise((resolve, reject) => {
    if (isLast) request.end(piece, () => resolve());
    else request.write(piece, (error) => (error ? reject(error) : resolve()));
  });

/** A host with the authorization for it. */
interface Place {
  readonly host: string;
  readonly auth: string;
}

/** Stickers go the way of images (whatsmeow `upload.go`, Baileys rc14; zapo has a path of their own, 2026-08-19). */
const folderOf = (kind: MediaClass): string => (kind === 'sticker' ? 'image' : kind);

const request = (
  { endpoint }: Uploader,
  { host, auth }: Place,
  file: EncipheredFile,
  {
    query,
    length,
    signal,
  }: { readonly query: string; readonly length: number; readonly signal?: AbortSignal | undefined },
): readonly [URL, RequestOptions] => {
  const token = Buffer.from(file.encryptedSha256).toString('base64url');
  const folder = folderOf(file.class);
  const url = new URL(`https://${host}/mms/${folder}/${token}?auth=${encodeURIComponent(auth)}&token=${token}${query}`);
  const headers = {
    'content-type': 'application/octet-stream',
    origin: 'https://web.whatsapp.com',
    'content-length': length,
  };
  const { uploadAgent: agent } = endpoint;
  const options = { method: 'POST', headers, timeout: silenceMs, ...(agent && { agent }), ...(signal && { signal }) };
  return [url, options];
};

const put = async (
  uploader: Uploader,
  place: Place,
  file: EncipheredFile,
  from: number,
  signal: AbortSignal | undefined,
): Promise<UploadTarget> => {
  let left = file.length - from;
  const query = from === 0 ? '' : `&file_offset=${from}`;
  const asked = request(uploader, place, file, { query, length: left, signal });
  const { status, text, retryAfter } = await ask(...asked, async (body) => {
    for await (const piece of file.ciphertext(from)) {
      left -= piece.length;
      // Before the last one the host cannot have it all, and may not answer.
      await written(body, piece, left === 0);
    }
  });
  if (status !== 200) throw new HostRefusal(status, retryAfter);
  return targetOf(JSON.parse(text));
};

/** Smaller files are sent anew. */
const resumableBytes = 5 * 1_048_576;

/**
 * Asks a host how much it has of an upload that broke off: all of it, or the first so many bytes. Source: WhatsApp Web's `_checkIfAlreadyUploaded`, as
 * whatsapp-rust `upload.rs` has it (2026-04-30); whatsmeow, zapo and Baileys begin anew. The web asks before every large file; here it is asked
 * after a failure, since nobody else has this key.
 */
const progressOf = async (
  uploader: Uploader,
  place: Place,
  file: EncipheredFile,
  signal: AbortSignal | undefined,
): Promise<UploadTarget | number> => {
  const asked = request(uploader, place, file, { query: '&resume=1', length: 0, signal });
  const { status, text } = await ask(...asked, async (body) => void body.end());
  if (status !== 200) return 0;
  try {
    const answer: unknown = JSON.parse(text);
    const resume: unknown = typeof answer === 'object' && answer !== null && 'resume' in answer ? answer.resume : 0;
    if (resume === 'complete') return targetOf(answer);
    const offset = Number(resume);
    return Number.isInteger(offset) && offset > 0 && offset < file.length ? offset : 0;
  } catch {
    return 0;
  }
};

const isAuthRefusal = (error: unknown): boolean =>
  error instanceof HostRefusal && (error.status === 401 || error.status === 403);

/** All hosts that the network names, and once more with a new authorization: a file that comes twice is the same one there. */
const store = async (uploader: Uploader, file: EncipheredFile, signal?: AbortSignal): Promise<UploadTarget> => {
  let cause: unknown = null;
  for (const anew of [false, true]) {
    const { hosts, auth } = await mediaConnection(uploader.sock, anew);
    for (const host of hosts) {
      try {
        const isResumed = cause !== null && file.length >= resumableBytes;
        const before = isResumed ? await progressOf(uploader, { host, auth }, file, signal) : 0;
        return typeof before === 'number' ? await put(uploader, { host, auth }, file, before, signal) : before;
      } catch (error) {
        signal?.throwIfAborted();
        cause = error;
        uploader.log.debug({ reason: messageOf(error) }, 'an upload failed');
        if (isAuthRefusal(error)) break;
      }
    }
  }
  if (cause instanceof HostRefusal && isHostFailure(cause.status))
    throw mediaHostFailed('Failed to send media message', "the network's media host", cause.status, cause.retryAfter);
  throw new Error(`no media host takes the ${file.class}`, { cause });
};

/** The members that every media message has. */
export type UploadedFile = Pick<
  proto.Message.IDocumentMessage,
  'url' | 'directPath' | 'mediaKey' | 'mediaKeyTimestamp' | 'fileSha256' | 'fileEncSha256' | 'fileLength'
>;

/** Throws when no media host takes the file, and what the signal is aborted with. */
export const uploadFile = async (
  uploader: Uploader,
  file: EncipheredFile,
  signal?: AbortSignal,
): Promise<UploadedFile> => ({
  ...(await store(uploader, file, signal)),
  mediaKey: file.mediaKey,
  mediaKeyTimestamp: Math.floor(uploader.clock.now() / 1000),
  fileSha256: file.sha256,
  fileEncSha256: file.encryptedSha256,
  fileLength: file.plain.size,
});
