/** Statuses of the account and of its contacts (docs/spec/statuses.md). */
import type { Static } from 'typebox';
import * as declared from '../../contract/operations/statuses.ts';
import type { Immutable } from '../../contract/operation.ts';
import type { PostStatusSchema } from '../../contract/schemas/status.ts';
import { iso, isoOrNull, type MediaUrl, mediaView, personView } from '../../domain/event-view.ts';
import { statusDataOf, type StatusRecord, type StatusViewer } from '../../domain/messages/statuses.ts';
import { invalidRequest } from '../../errors.ts';
import type { AudienceRequest, StatusToPost } from '../../service/conversation/statuses.ts';
import { withLargeMember } from '../body/large-member.ts';
import { answerPages, sendHead, begun, inline, safeType } from '../streams/answers.ts';
import { handle } from '../wire/operation.ts';
import { ok } from '../wire/values.ts';
import { fileOf } from './media-source.ts';
import { idempotencyOf } from './sent.ts';

type Body = Immutable<Static<typeof PostStatusSchema>>;

const audienceIn = (given: Body['audience']): AudienceRequest | undefined => {
  if (given === undefined || given === 'contacts') return given;
  const { only, except } = given;
  if (only !== undefined && except === undefined) return { only };
  if (except !== undefined && only === undefined) return { except };
  throw invalidRequest('audience must have exactly one of only and except');
};

const assertNone = (body: Body, names: readonly (keyof Body)[], type: string): void => {
  const wrong = names.find((name) => body[name] !== undefined);
  if (wrong !== undefined) throw invalidRequest(`${wrong} does not go with a status of type ${type}`);
};

const files = {
  image: { kind: 'image' },
  video: { kind: 'video', isGif: false },
  voice: { kind: 'audio', isVoice: true },
} as const;

const contentIn = (body: Body, mediaBase64: string | Buffer | undefined): StatusToPost['content'] => {
  const { type = 'text', text, background = null, font = null, mediaCaption } = body;
  if (type === 'text') {
    assertNone(body, ['mediaUrl', 'fileId', 'mediaCaption'], type);
    if (mediaBase64 !== undefined) throw invalidRequest('mediaBase64 does not go with a status of type text');
    if (text === undefined) throw invalidRequest('text must be given, or a type of file');
    return { kind: 'text', text, background: background?.toLowerCase() ?? null, font };
  }
  assertNone(body, ['text', 'background', 'font'], type);
  if (type === 'voice') assertNone(body, ['mediaCaption'], type);
  return { kind: 'file', file: files[type], source: fileOf(body, mediaBase64), caption: mediaCaption || null };
};

export const postStatus = handle(declared.postStatus, ({ services, scope, body, request }) =>
  withLargeMember(body, async (large) => {
    const mediaBase64 = large ?? body.mediaBase64;
    const once = idempotencyOf(request, 'status', mediaBase64 === undefined ? body : { ...body, mediaBase64 });
    const content = contentIn(body, mediaBase64);
    const given = { content, audience: audienceIn(body.audience), deadline: request.deadline! };
    const { id: statusId, recipients, expiresAt } = await services.statuses.post(scope, given, once);
    return { statusId, recipients, expiresAt: iso(expiresAt), status: ok('Status posted') };
  }),
);

const statusView = (mediaUrl: MediaUrl, deviceId: number, record: StatusRecord) => {
  const { media, timestamp, ...shown } = statusDataOf(record);
  return {
    ...shown,
    timestamp: iso(timestamp),
    media: mediaView(media, (id) => mediaUrl(deviceId, id, 'status'), shown.id),
    own: record.message.direction === 'out',
    recipients: record.recipients,
    expiresAt: iso(record.expiresAt),
    deletedAt: isoOrNull(record.deletedAt),
  };
};

const viewerView = ({ person, deliveredAt, viewedAt, reaction }: StatusViewer) => ({
  person: personView(person),
  deliveredAt: isoOrNull(deliveredAt),
  viewedAt: isoOrNull(viewedAt),
  reaction,
});

export const listStatuses = handle(declared.listStatuses, async (call) => {
  const { services, deviceId, query } = call;
  return answerPages(call, { name: 'statuses', done: 'Statuses listed' }, async (piece) => {
    const page = await services.stores.statuses.list(deviceId, { ...piece, own: query.own });
    return { ...page, items: page.items.map((record) => statusView(services.mediaUrl, deviceId, record)) };
  });
});

export const deleteStatus = handle(declared.deleteStatus, async ({ services, scope, params }) => {
  await services.statuses.remove(scope, params.statusId);
  return { status: ok('Status deleted') };
});

export const listStatusViewers = handle(declared.listStatusViewers, async (call) => {
  const { services, scope, params } = call;
  return answerPages(call, { name: 'viewers', done: 'Viewers listed' }, async (piece) => {
    const page = await services.statuses.viewers(scope, params.statusId, piece);
    return { ...page, items: page.items.map(viewerView) };
  });
});

export const getStatusMedia = handle(declared.getStatusMedia, async ({ services, scope, params, request, reply }) => {
  const { mimetype, stream } = await services.statuses.media(scope, params.statusId);
  const file = await begun(stream);
  const type = safeType(mimetype);
  reply.type(type).header('content-security-policy', "default-src 'none'; sandbox");
  reply.header('content-disposition', inline.test(type) ? 'inline' : 'attachment');
  if (request.method !== 'HEAD') return reply.send(file);
  file.destroy();
  return sendHead(reply);
});

export const viewStatus = handle(declared.viewStatus, async ({ services, scope, params }) => {
  await services.statuses.view(scope, params.statusId);
  return { status: ok('Status viewed') };
});

export const setStatusReaction = handle(declared.setStatusReaction, async ({ services, scope, params, body }) => {
  await services.statuses.react(scope, params.statusId, body.reaction);
  return { status: ok(body.reaction === null ? 'Like taken back' : 'Status liked') };
});
