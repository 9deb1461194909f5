/** Uploads files to the network's media hosts, over keep-alive connections. */
import type { ClientRequest } from 'node:http';
import { type RequestOptions, request as open } from 'node:https';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '../library/nodes.ts';
import type { proto } from '../library/proto.ts';
import type { Clock } from '../../domain/clock.ts';
import type { EncipheredFile, MediaClass } from '../../domain/messages/files.ts';
import { isHostFailure, mediaHostFailed } from '../../domain/outbound.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { Endpoint } from '../connection/endpoint.ts';
import type { Socket } from '../socket/socket.ts';

/** Without any byte sent or received; the whole request has its own deadline. */
const silenceMs = 20_000;
/** An answer is a few hundred bytes; what is sent after this file waits for it. */
const longestAnswer = 65_536;
const answerMs = 20_000;

export const maxUploads = 4;

/** The network's media hosts and their authorization from `<media_conn>`. Failed requests are not cached. */
interface MediaConnection {
  readonly hosts: readonly string[];
  readonly auth: string;
  readonly until: number;
}

export type MediaAsker = Pick<Socket, 'query'>;

const known = new WeakMap<MediaAsker, Promise<MediaConnection>>();

const askConnection = async (sock: MediaAsker): Promise<MediaConnection> => {
  const answer = await sock.query({
    tag: 'iq',
    attrs: { type: 'set', xmlns: 'w:m', to: S_WHATSAPP_NET },
    content: [{ tag: 'media_conn', attrs: {} }],
  });
  const connection = getBinaryNodeChild(answer, 'media_conn');
  const { auth, ttl } = connection?.attrs ?? {};
  if (auth === undefined) throw new Error('the network names no media hosts');
  return {
    hosts: getBinaryNodeChildren(connection, 'host').flatMap(({ attrs }) => attrs['hostname'] ?? []),
    auth,
    until: performance.now() + (Number(ttl) || 0) * 1000,
  };
};

export const mediaConnection = async (sock: MediaAsker, anew = false): Promise<MediaConnection> => {
  const kept = await known.get(sock)?.catch(() => null);
  if (!anew && kept && kept.until > performance.now()) return kept;
  const asked = askConnection(sock);
  known.set(sock, asked);
  return asked;
};

export interface Uploader {
  readonly sock: MediaAsker;
  readonly endpoint: Pick<Endpoint, 'uploadAgent'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
}

/** What goes to a media host: encrypted for messages, plain for channels (`channels/upload.ts`). */
export interface Upload {
  readonly kind: string;
  readonly folder: string;
  readonly sha256: Uint8Array;
  readonly length: number;
  readonly query?: string;
  /** Whether a host may be asked how much it has of it. */
  readonly isResumable: boolean;
  bytes(from: number): AsyncIterable<Uint8Array>;
}

interface UploadTarget {
  readonly url: string | null;
  readonly directPath: string | null;
  readonly said: object;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

const targetOf = (answer: unknown): UploadTarget => {
  const said = typeof answer === 'object' && answer !== null ? answer : {};
  const { url, direct_path: path } = said as { readonly url?: unknown; readonly direct_path?: unknown };
  const target = { url: textOf(url), directPath: textOf(path), said };
  if (target.url === null && target.directPath === null) throw new Error("the media host's answer has no URL");
  return target;
};

class HostRefusal extends Error {
  readonly status: number;
  readonly retryAfter: string | undefined;

  constructor(status: number, retryAfter: string | undefined) {
    super(`a media host answers ${status}`);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

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

interface Place {
  readonly host: string;
  readonly auth: string;
}

/** Stickers use the path of images (whatsmeow `upload.go`; zapo has a separate one, 2026-08-19). */
const folderOf = (kind: MediaClass): string => (kind === 'sticker' ? 'image' : kind);

const request = (
  { endpoint }: Uploader,
  { host, auth }: Place,
  file: Upload,
  {
    query,
    length,
    signal,
  }: { readonly query: string; readonly length: number; readonly signal?: AbortSignal | undefined },
): readonly [URL, RequestOptions] => {
  const token = Buffer.from(file.sha256).toString('base64url');
  const more = `${file.query ?? ''}${query}`;
  const url = new URL(`https://${host}/${file.folder}/${token}?auth=${encodeURIComponent(auth)}&token=${token}${more}`);
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
  file: Upload,
  from: number,
  signal: AbortSignal | undefined,
): Promise<UploadTarget> => {
  let left = file.length - from;
  const query = from === 0 ? '' : `&file_offset=${from}`;
  const asked = request(uploader, place, file, { query, length: left, signal });
  const { status, text, retryAfter } = await ask(...asked, async (body) => {
    for await (const piece of file.bytes(from)) {
      left -= piece.length;
      // Before the last piece the host cannot have it all, and may not answer.
      await written(body, piece, left === 0);
      // A host that takes all at once would leave nobody else a turn.
      if (left > 0) await nextTurn();
    }
  });
  if (status !== 200) throw new HostRefusal(status, retryAfter);
  return targetOf(JSON.parse(text));
};

const resumableBytes = 5 * 1_048_576;

/** How much a host has of an interrupted upload (WhatsApp Web's `_checkIfAlreadyUploaded`, as in whatsapp-rust `upload.rs`, 2026-04-30). */
const progressOf = async (
  uploader: Uploader,
  place: Place,
  file: Upload,
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

/** Tries all hosts, and once more with a new authorization: uploading a file twice is harmless. */
export const store = async (uploader: Uploader, file: Upload, signal?: AbortSignal): Promise<UploadTarget> => {
  let cause: unknown = null;
  for (const anew of [false, true]) {
    const { hosts, auth } = await mediaConnection(uploader.sock, anew);
    for (const host of hosts) {
      try {
        const isResumed = file.isResumable && cause !== null && file.length >= resumableBytes;
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
  throw new Error(`no media host takes the ${file.kind}`, { cause });
};

export type UploadedFile = Pick<
  proto.Message.IDocumentMessage,
  'url' | 'directPath' | 'mediaKey' | 'mediaKeyTimestamp' | 'fileSha256' | 'fileEncSha256' | 'fileLength'
>;

export const uploadFile = async (
  uploader: Uploader,
  file: EncipheredFile,
  signal?: AbortSignal,
): Promise<UploadedFile> => {
  const { class: kind, encryptedSha256: sha256, length } = file;
  const bytes = (from: number) => file.ciphertext(from);
  const upload = { kind, folder: `mms/${folderOf(kind)}`, sha256, length, isResumable: true, bytes };
  const { url, directPath } = await store(uploader, upload, signal);
  return {
    url,
    directPath,
    mediaKey: file.mediaKey,
    mediaKeyTimestamp: Math.floor(uploader.clock.now() / 1000),
    fileSha256: file.sha256,
    fileEncSha256: sha256,
    fileLength: file.plain.size,
  };
};
