/** Downloads the media of a stored message (docs/spec/messages.md, Media). */
import { decodeStored } from '../translate/parts/decode.ts';
import { addAbortSignal, type Readable } from 'node:stream';
import type { proto } from '../library/proto.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { ByteRange, EncryptedFile, FetchRequest } from '../../domain/messages/kept-media.ts';
import { isHostFailure, mediaHostFailed } from '../../domain/outbound.ts';
import { HandsetError, notFound } from '../../errors.ts';
import type { Endpoint } from '../connection/endpoint.ts';
import { decipherMedia, decipherRange } from './decipher.ts';
import { encryptedLength, type FileKind, type MediaKeys, mediaKeysOf } from './encipher.ts';
import { type MediaAsker, mediaConnection } from './upload.ts';
import { askedAgain } from './reuploads.ts';
import { mediaPartOf } from '../translate/parts/media.ts';
import type { MediaPart } from '../translate/parts/kind.ts';

/** Calls `end` if the reader abandons the stream. A generator that was never started runs no `finally`. */
const onAbandoned = <T>(pieces: AsyncGenerator<T, void, void>, end: () => void): AsyncGenerator<T, void, void> => {
  const finish = pieces.return.bind(pieces);
  pieces.return = (value) => {
    end();
    return finish(value);
  };
  return pieces;
};

const headersTimeoutMs = 15_000;
const bodyTimeoutMs = 30_000;

interface HostedFile {
  readonly class: FileKind;
  readonly encryptedSha256: Uint8Array | null;
}

const urlOf = (host: string, path: string, { class: kind, encryptedSha256 }: HostedFile): URL => {
  const url = new URL(`https://${host}${path}`);
  if (encryptedSha256 !== null) url.searchParams.set('hash', Buffer.from(encryptedSha256).toString('base64url'));
  url.searchParams.set('mms-type', kind === 'sticker' ? 'image' : kind);
  url.searchParams.set('__wa-mms', '');
  return url;
};

/** Only from hosts the network names, never the one in the message, which a stranger wrote. Null if the file is gone. */
const fetchEncrypted = async (
  sock: MediaAsker,
  endpoint: Endpoint,
  path: string,
  part: HostedFile,
): Promise<Readable | null> => {
  const { hosts } = await mediaConnection(sock);
  let status = 0;
  let retryAfter: string | null = null;
  for (const hostname of hosts) {
    const url = urlOf(hostname, path, part);
    const answer = await endpoint.dispatcher
      .request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: 'GET',
        headers: { origin: 'https://web.whatsapp.com' },
        headersTimeout: headersTimeoutMs,
        bodyTimeout: bodyTimeoutMs,
      })
      .catch(() => null);
    if (answer?.statusCode === 200) return answer.body;
    status = answer?.statusCode ?? status;
    retryAfter = String(answer?.headers['retry-after'] ?? retryAfter ?? '');
    await answer?.body.dump();
  }
  // The network keeps media for some weeks only.
  if (status === 404 || status === 410 || status === 403) return null;
  if (isHostFailure(status))
    throw mediaHostFailed('Failed to fetch the media', "the network's media host", status, retryAfter);
  throw new HandsetError('Internal', 'Internal server error', {
    cause: new Error(`no media host answers (${status})`),
  });
};

/** Gives another path of a file the hosts no longer have; throws a readable error if there is none. */
export type AskAgain = (message: MessageRecord, mediaKey: Uint8Array, former: string) => Promise<string>;

interface Fetched {
  readonly encrypted: Readable;
  readonly part: MediaPart;
  readonly keys: MediaKeys;
}

const keyedPartOf = (message: MessageRecord): MediaPart & { readonly mediaKey: Uint8Array } => {
  const stored = decodeStored(message.content);
  const part = stored === null ? null : mediaPartOf(stored);
  if (part === null || part.mediaKey === null) throw notFound('Media');
  return { ...part, mediaKey: part.mediaKey };
};

/** Throws NotFound if the message has no media, or neither network nor phone has it any more. */
const fetchPart = async (
  sock: MediaAsker,
  endpoint: Endpoint,
  message: MessageRecord,
  askAgain: AskAgain,
): Promise<Fetched> => {
  const part = keyedPartOf(message);
  const { mediaKey, directPath } = part;
  if (directPath === null || !directPath.startsWith('/')) throw notFound('Media');
  const encrypted =
    (await fetchEncrypted(sock, endpoint, directPath, part)) ??
    (await fetchEncrypted(sock, endpoint, await askAgain(message, mediaKey, directPath), part));
  if (encrypted === null) throw askedAgain();
  return { encrypted, part, keys: mediaKeysOf(mediaKey, part.class) };
};

export const downloadMedia = async (...given: Parameters<typeof fetchPart>): Promise<AsyncIterable<Uint8Array>> => {
  const { encrypted, part, keys } = await fetchPart(...given);
  const pieces = decipherMedia(encrypted, keys, part);
  // An early end is expected then.
  return onAbandoned(pieces, () => void encrypted.on('error', () => {}).destroy());
};

async function* tapped(encrypted: Readable, write: (piece: Uint8Array) => Promise<void>): AsyncGenerator<Uint8Array> {
  for await (const piece of encrypted) {
    await write(piece);
    yield piece;
  }
}

/** Passes on the encrypted file. Resolves with the decrypted length once the whole file is verified; throws as `fetchPart`. */
export const fetchMedia = async (
  sock: MediaAsker,
  endpoint: Endpoint,
  message: MessageRecord,
  { askAgain, write, signal }: FetchRequest & { readonly askAgain: AskAgain },
): Promise<number> => {
  const { encrypted, part, keys } = await fetchPart(sock, endpoint, message, askAgain);
  const end = addAbortSignal(signal, encrypted);
  let length = 0;
  for await (const piece of decipherMedia(tapped(end, write), keys, part)) length += piece.length;
  return length;
};

export const decipherKept = async (
  message: MessageRecord,
  file: EncryptedFile,
  range: ByteRange | null,
): Promise<AsyncIterable<Uint8Array>> => {
  const part = keyedPartOf(message);
  const keys = mediaKeysOf(part.mediaKey, part.class);
  if (range !== null) return decipherRange((from, to) => file.read(from, to), keys, range);
  return decipherMedia(await file.read(0, encryptedLength(file.bytes)), keys, part);
};

export type FileReference = Pick<
  proto.IExternalBlobReference,
  'mediaKey' | 'directPath' | 'fileSha256' | 'fileEncSha256'
>;

/** A host that sends a byte now and then would hold its reader for days. */
const fileTimeoutMs = 60_000;

/** Throws NotFound if the network no longer has the file, and an Error if it exceeds `maxBytes`, does not match, or does not come in time. */
export const downloadFile = async (
  sock: MediaAsker,
  endpoint: Endpoint,
  { mediaKey, directPath, fileSha256 = null, fileEncSha256 = null }: FileReference,
  { kind, maxBytes }: { readonly kind: FileKind; readonly maxBytes: number },
): Promise<Buffer> => {
  if (!mediaKey || !directPath?.startsWith('/')) throw notFound('File');
  const encrypted = await fetchEncrypted(sock, endpoint, directPath, { class: kind, encryptedSha256: fileEncSha256 });
  if (encrypted === null) throw notFound('File');
  addAbortSignal(AbortSignal.timeout(fileTimeoutMs), encrypted);
  const pieces: Uint8Array[] = [];
  let length = 0;
  const expected = { sha256: fileSha256, encryptedSha256: fileEncSha256 };
  for await (const piece of decipherMedia(encrypted, mediaKeysOf(mediaKey, kind), expected)) {
    length += piece.length;
    if (length > maxBytes) throw new Error(`The file is longer than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
};
