/** Shared by the sends: the idempotency key (docs/spec/http-interface.md, Idempotency), the call of the service, and the answer. */
import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Creation } from '../../domain/messages/idempotency.ts';
import type { Idempotency } from '../../service/sending/send-once.ts';
import { invalidRequest, requestRunning } from '../../errors.ts';
import type { Caller } from '../admission/admission.ts';
import type { Services } from '../wire/services.ts';
import type { DeviceScope } from '../../service/sessions/runtimes.ts';
import type { MessageAction } from '../../domain/messages/outgoing.ts';
import { channelIn, lastingRecipient, recipientIn, type RecipientMembers } from '../../domain/chats/recipient.ts';
import type { ActionToSend } from '../../service/sending/sending.ts';
import { chatIn } from '../views/chat.ts';
import type { MakeAction } from '../../service/sending/actions.ts';
import type { PostRequest } from '../../service/conversation/channels.ts';
import { viewOf } from './stored-message.ts';
import type { PlainContent } from '../../domain/messages/scheduled.ts';
import { iso } from '../../domain/event-view.ts';
import type { ScheduleRequest } from '../../service/scheduling/schedule.ts';
import { parseTimestamp } from '../wire/values.ts';

/** A large member is bytes, with the same fingerprint as the same ASCII text. */
export type Members = Readonly<Record<string, unknown>>;

/** SHA-256 over the route and the fields by name, independent of order and white space. */
const fingerprintOf = (route: string, body: Members): string => {
  const hash = createHash('sha256').update(route);
  for (const name of Object.keys(body).sort()) {
    const given = body[name] ?? '';
    const value = typeof given === 'string' || given instanceof Uint8Array ? given : JSON.stringify(given);
    hash.update(`\0${name}\0${value.length}\0`).update(value);
  }
  return hash.digest('hex');
};

/** With a fingerprint of the request. Throws InvalidRequest. */
export const idempotencyOf = (request: FastifyRequest, route: string, body: Members): Idempotency | undefined => {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw invalidRequest('Idempotency-Key must be 1 to 255 printable ASCII characters');
  }
  return { key, fingerprint: fingerprintOf(route, body) };
};

export interface Call {
  readonly services: Services;
  readonly scope: DeviceScope;
  readonly request: FastifyRequest;
}

const success = { status: 'success' } as const;

interface Times {
  readonly sendAt?: string | undefined;
  readonly sendUntil?: string | undefined;
}

export const scheduleOf = (
  request: FastifyRequest,
  { sendAt, sendUntil }: Times,
  idempotency: Idempotency | undefined,
): ScheduleRequest | null => {
  if (sendAt === undefined) {
    if (sendUntil !== undefined) throw invalidRequest('sendUntil must be given with sendAt');
    return null;
  }
  return {
    sendAt: parseTimestamp('sendAt', sendAt),
    sendUntil: sendUntil === undefined ? null : parseTimestamp('sendUntil', sendUntil),
    keyId: request.caller?.key?.id ?? null,
    idempotency,
    attempt: request.attempt ?? undefined,
  };
};

export const scheduledAnswer = ({ sendAt }: ScheduleRequest, { messageId }: { readonly messageId: string }) => ({
  ...success,
  messageId,
  sendAt: iso(sendAt),
});

interface SendBody extends Times, RecipientMembers {
  readonly quotedMessageId?: string | undefined;
  readonly mentions?: readonly string[] | undefined;
  readonly mentionAll?: boolean | undefined;
}

export const sentPost = async (
  { services, scope, request }: Call,
  post: Omit<PostRequest, 'deadline'>,
  idempotency: Idempotency | undefined,
) => {
  const attempt = request.attempt ?? undefined;
  const given = { ...post, deadline: request.deadline! };
  const { id: messageId, serverId, state } = await services.channels.post(scope, given, idempotency, attempt);
  return { ...success, messageId, serverId, state };
};

export const sent = async (
  { services, scope, request }: Call,
  body: SendBody & Members,
  content: PlainContent,
  linkPreview = false,
) => {
  const { quotedMessageId, mentions, mentionAll } = body;
  const previewBy = linkPreview ? request.deadline! : undefined;
  const idempotency = idempotencyOf(request, content.kind, body);
  if (content.kind === 'text' || content.kind === 'poll') {
    const channel = channelIn(body);
    if (channel !== null) return sentPost({ services, scope, request }, { channel, content, linkPreview }, idempotency);
  }
  const message = { recipient: recipientIn(body), content, quotedMessageId, mentions, mentionAll, previewBy };
  if ((body.sendAt ?? body.sendUntil) !== undefined) {
    const schedule = scheduleOf(request, body, idempotency)!;
    const recipient = lastingRecipient(message.recipient);
    const kept = { recipient, content, quotedMessageId, mentions, mentionAll, linkPreview };
    return scheduledAnswer(schedule, await services.schedule.message(scope, schedule, kept));
  }
  const attempt = request.attempt ?? undefined;
  return { ...success, ...(await services.sending.send(scope, { ...message, previewBy }, idempotency, attempt)) };
};

interface ActionCall extends Call {
  readonly params: { readonly messageId: string };
  readonly query: { readonly chat?: string | undefined };
}

export const routeOf = (route: string, { params, query }: Pick<ActionCall, 'params' | 'query'>): string =>
  `${route} ${params.messageId} ${query.chat ?? ''}`;

export const sentAction = async (
  { services, scope, request, params, query }: ActionCall,
  route: string,
  body: Members,
  made: Pick<ActionToSend, 'make' | 'recipient'>,
) => {
  const idempotency = idempotencyOf(request, routeOf(route, { params, query }), body);
  const { messageId } = params;
  const attempt = request.attempt ?? undefined;
  const earlier = { messageId, chat: chatIn(query), ...made };
  return { ...success, ...(await services.sending.sendAction(scope, earlier, idempotency, attempt)) };
};

export const changed = async (call: ActionCall, route: string, body: Members, make: MakeAction<MessageAction>) => {
  await sentAction(call, route, body, { make });
  return viewOf(call);
};

const running = new WeakMap<Services, Set<string>>();

interface CreatingCall {
  readonly services: Services;
  readonly caller: Caller;
  readonly request: FastifyRequest;
}

/** For operations that create something: runs them once per `Idempotency-Key` (docs/spec/http-interface.md, Idempotency). */
export const createdOnce = async <T>(
  { services, caller, request }: CreatingCall,
  route: string,
  body: Members,
  make: (once?: Creation) => Promise<T>,
): Promise<T> => {
  const given = idempotencyOf(request, route, body);
  if (given === undefined) return make();
  const once = { ...given, userId: caller.user.id, key: `${caller.key?.id ?? ''} ${given.key}` };
  const names = running.get(services) ?? new Set();
  running.set(services, names);
  const name = `${once.userId} ${once.key}`;
  if (names.has(name)) throw requestRunning();
  names.add(name);
  try {
    const kept = await services.stores.creations.find(once);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the fingerprint names the operation, whose outcome it is
    return kept === null ? await make(once) : (kept.answer as T);
  } finally {
    names.delete(name);
  }
};
