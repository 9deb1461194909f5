/** Sending files, from a URL, base64 or an upload. */
import type { RequestedFile } from '../../service/sending/files.ts';
import { invalidRequest } from '../../errors.ts';
import type { FileToSchedule } from '../../service/scheduling/schedule.ts';
import { payloadTooLarge } from '../wire/errors.ts';
import { type Call, type Members, idempotencyOf, scheduledAnswer, scheduleOf, sentPost } from './sent.ts';
import type { FileRequest } from '../../domain/messages/files.ts';
import { channelIn, lastingRecipient, recipientIn, type RecipientMembers } from '../../domain/chats/recipient.ts';
import { ofItem } from '../../domain/messages/outgoing.ts';
import type { AlbumItem } from '../../service/sending/album.ts';
import { withLargeMember } from '../body/large-member.ts';

const maxBase64Bytes = 10_485_760;

const malformed = (): Error => invalidRequest('mediaBase64 must be base64 without line breaks, or a base64 data URL');

const startOf = (head: string): number => {
  if (!/^data:/i.test(head)) return 0;
  const comma = head.indexOf(',');
  if (comma < 0 || !/;base64$/i.test(head.slice(0, comma))) throw malformed();
  return comma + 1;
};

/** No file is lower-case letters alone in base64; a placeholder may be. */
const maxWord = 32;
const word = /^[a-z]{4,32}$/;
/** Placeholders for files stored elsewhere (n8n, 2026). */
const inN8n: ReadonlySet<string> = new Set(['database', 'filesystem', 'filesystem-v2', 's3']);

const assertNoWord = (text: string): void => {
  if (inN8n.has(text))
    throw invalidRequest(
      `mediaBase64 is "${text}", which n8n shows in place of a file that it keeps elsewhere; give the content of the file, as its node Extract from File makes it (Move File to Base64 String)`,
      'invalid_media',
    );
  if (word.test(text))
    throw invalidRequest(
      `mediaBase64 is the word "${text}", not a file; send the content of the file in base64`,
      'invalid_media',
    );
};

const step = 4 * 8_192;

/** Throws PayloadTooLarge before decoding, InvalidRequest if it is not base64. */
export const decodeBase64 = (given: string | Buffer, maxBytes: number): Uint8Array => {
  const text = typeof given === 'string' ? Buffer.from(given) : given;
  if (text.length <= maxWord) assertNoWord(text.toString('latin1'));
  const start = startOf(text.toString('latin1', 0, 256));
  const end = text.toString('latin1', Math.max(0, text.length - 2));
  const padding = end.endsWith('==') ? 2 : end.endsWith('=') ? 1 : 0;
  const digits = text.length - start - padding;
  const size = Math.floor((digits * 3) / 4);
  if (size > maxBytes) throw payloadTooLarge();
  // Four digits are three bytes. Padding may be missing, but must fill its group.
  if (digits % 4 === 1 || (padding > 0 && (digits + padding) % 4 !== 0)) throw malformed();
  // The decoder skips invalid characters, which shortens the output, and accepts the URL alphabet.
  if (text.includes('-', start) || text.includes('_', start)) throw malformed();
  let length = 0;
  for (let at = start; at < text.length; at += step)
    length += text.write(text.toString('latin1', at, Math.min(at + step, text.length)), length, 'base64');
  if (length !== size) throw malformed();
  return text.subarray(0, size);
};

const sourceOf = (mediaUrl: string | undefined, mediaBase64: string | Buffer | undefined): RequestedFile => {
  if (mediaUrl !== undefined && mediaBase64 !== undefined) {
    throw invalidRequest('Exactly one of mediaUrl and mediaBase64 must be given, not both');
  }
  if (mediaUrl !== undefined) return { url: mediaUrl };
  if (mediaBase64 !== undefined) return { bytes: decodeBase64(mediaBase64, maxBase64Bytes) };
  throw invalidRequest('Exactly one of mediaUrl and mediaBase64 must be given; both are missing');
};

interface PictureBody {
  readonly mediaUrl?: string | undefined;
  readonly mediaBase64?: string | undefined;
}

/** For the picture of a profile or a group. */
export const withPicture = <T>(body: PictureBody, use: (source: RequestedFile) => Promise<T>): Promise<T> =>
  withLargeMember(body, async (large) => use(sourceOf(body.mediaUrl, large ?? body.mediaBase64)));

export const fileOf = (
  { mediaUrl, fileId }: Pick<MediaBody, 'mediaUrl' | 'fileId'>,
  mediaBase64: string | Buffer | undefined,
): FileToSchedule['source'] => {
  const given = [mediaUrl, mediaBase64, fileId].filter((way) => way !== undefined).length;
  if (given !== 1) {
    const problem = given === 0 ? '; all are missing' : ', not more';
    throw invalidRequest(`Exactly one of mediaUrl, mediaBase64 and fileId must be given${problem}`);
  }
  return fileId === undefined ? sourceOf(mediaUrl, mediaBase64) : { fileId };
};

interface MediaBody extends RecipientMembers, PictureBody {
  readonly fileId?: string | undefined;
  readonly mediaCaption?: string | undefined;
  readonly quotedMessageId?: string | undefined;
  readonly mentions?: readonly string[] | undefined;
  readonly mentionAll?: boolean | undefined;
  readonly sendAt?: string | undefined;
  readonly sendUntil?: string | undefined;
}

interface AlbumBody {
  readonly to?: string | undefined;
  readonly toNumber?: string | undefined;
  readonly items: readonly Pick<MediaBody, 'mediaUrl' | 'mediaBase64' | 'fileId' | 'mediaCaption'>[];
  readonly quotedMessageId?: string | undefined;
  readonly sendAt?: string | undefined;
  readonly sendUntil?: string | undefined;
}

const itemOf = (item: AlbumBody['items'][number], index: number): AlbumItem => {
  try {
    return { source: fileOf(item, item.mediaBase64), caption: item.mediaCaption || null };
  } catch (error) {
    throw ofItem(error, index);
  }
};

export const sentAlbum = async ({ services, scope, request }: Call, body: AlbumBody & Members) => {
  const recipient = recipientIn(body);
  const idempotency = idempotencyOf(request, 'album', body);
  const { quotedMessageId } = body;
  const album = { recipient, items: body.items.map(itemOf), quotedMessageId, deadline: request.deadline! };
  const schedule = scheduleOf(request, body, idempotency);
  if (schedule !== null) {
    const { messageId } = await services.schedule.album(scope, schedule, {
      ...album,
      recipient: lastingRecipient(recipient),
    });
    const messageIds = services.sending.albumIds(messageId, album);
    return { ...scheduledAnswer(schedule, { messageId }), messageIds: [...messageIds] };
  }
  const { messageId, messageIds } = await services.sending.sendAlbum(
    scope,
    album,
    idempotency,
    request.attempt ?? undefined,
  );
  return { status: 'success' as const, messageId, messageIds: [...messageIds] };
};

const sentFile = async (
  { services, scope, request }: Call,
  route: string,
  body: MediaBody & Members,
  mediaBase64: string | Buffer | undefined,
  file: FileRequest,
) => {
  const recipient = channelIn(body) ?? recipientIn(body);
  const members = mediaBase64 === undefined ? body : { ...body, mediaBase64 };
  const idempotency = idempotencyOf(request, route, members);
  const { quotedMessageId, mentions, mentionAll, mediaCaption } = body;
  const source = fileOf(body, mediaBase64);
  if (typeof recipient === 'string') {
    const content = { kind: 'file', file, source, caption: mediaCaption || null } as const;
    return sentPost({ services, scope, request }, { channel: recipient, content }, idempotency);
  }
  const deadline = request.deadline!;
  const about = { recipient, quotedMessageId, mentions, mentionAll };
  const media = { ...about, file, source, caption: mediaCaption || null, deadline };
  const schedule = scheduleOf(request, body, idempotency);
  if (schedule !== null) {
    const kept = { ...media, recipient: lastingRecipient(recipient) };
    return scheduledAnswer(schedule, await services.schedule.file(scope, schedule, kept));
  }
  const attempt = request.attempt ?? undefined;
  const { messageId } = await services.sending.sendFile(scope, media, idempotency, attempt);
  return { status: 'success' as const, messageId };
};

/** `route` names the operation, for the fingerprint of a request with an idempotency key. */
export const sentMedia = (call: Call, route: string, body: MediaBody & Members, file: FileRequest) =>
  withLargeMember(body, (large) => sentFile(call, route, body, large ?? body.mediaBase64, file));
