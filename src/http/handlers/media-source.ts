/** Common to the sends of files: the file from where the caller has it, handed to the service. */
import type { FileRequest } from '../../domain/messages/files.ts';
import { parseRecipient } from '../../domain/jid.ts';
import { invalidRequest } from '../../errors.ts';
import type { FileToSend } from '../../service/sending/sending.ts';
import type { RequestedFile } from '../../service/sending/files.ts';
import { decodeBase64 } from '../body/base64.ts';
import { takeLargeMember } from '../body/large-member.ts';
import { type Call, idempotencyOf, type Members } from './sent.ts';

/** 10 MB after decoding (docs/spec/messages.md, Send media). */
const maxBase64Bytes = 10_485_760;

/** Exactly one of `mediaUrl` and `mediaBase64`. */
export const sourceOf = (mediaUrl: string | undefined, mediaBase64: string | Buffer | undefined): RequestedFile => {
  if (mediaUrl !== undefined && mediaBase64 !== undefined) {
    throw invalidRequest('Exactly one of mediaUrl and mediaBase64 must be given, not both');
  }
  if (mediaUrl !== undefined) return { url: mediaUrl };
  if (mediaBase64 !== undefined) return { bytes: decodeBase64(mediaBase64, maxBase64Bytes) };
  throw invalidRequest('Exactly one of mediaUrl and mediaBase64 must be given; both are missing');
};

/** Exactly one of the three. */
const fileOf = (
  { mediaUrl, fileId }: Pick<MediaBody, 'mediaUrl' | 'fileId'>,
  mediaBase64: string | Buffer | undefined,
): FileToSend['source'] => {
  const given = [mediaUrl, mediaBase64, fileId].filter((way) => way !== undefined).length;
  if (given !== 1) {
    const problem = given === 0 ? '; all are missing' : ', not more';
    throw invalidRequest(`Exactly one of mediaUrl, mediaBase64 and fileId must be given${problem}`);
  }
  return fileId === undefined ? sourceOf(mediaUrl, mediaBase64) : { fileId };
};

interface MediaBody {
  readonly to?: string | undefined;
  readonly toNumber?: string | undefined;
  readonly mediaUrl?: string | undefined;
  readonly mediaBase64?: string | undefined;
  readonly fileId?: string | undefined;
  readonly mediaCaption?: string | undefined;
  readonly quotedMessageId?: string | undefined;
  readonly mentions?: readonly string[] | undefined;
}

/** `route` names the operation, for the fingerprint of a request with an idempotency key. */
export const sentMedia = async (
  { parts, scope, request }: Call,
  route: string,
  body: MediaBody & Members,
  file: FileRequest,
) => {
  const recipient = parseRecipient(body.to, body.toNumber);
  const mediaBase64 = takeLargeMember(body) ?? body.mediaBase64;
  const members = mediaBase64 === undefined ? body : { ...body, mediaBase64 };
  const idempotency = idempotencyOf(request, route, members);
  const { quotedMessageId, mentions, mediaCaption } = body;
  const source = fileOf(body, mediaBase64);
  const deadline = request.deadline!;
  const media = { recipient, file, source, caption: mediaCaption || null, deadline, quotedMessageId, mentions };
  const attempt = request.attempt ?? undefined;
  const { messageId } = await parts.sending.sendFile(scope, media, idempotency, attempt);
  return { status: 'success' as const, messageId };
};
