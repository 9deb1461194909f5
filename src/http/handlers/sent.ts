/** Shared by the sends: the idempotency key (docs/spec/http-interface.md, Idempotency), handing over to the service, and the answer. */
import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { MessageAction, OutgoingContent } from '../../domain/messages/outgoing.ts';
import { parseRecipient } from '../../domain/jid.ts';
import { invalidRequest } from '../../errors.ts';
import type { MakeAction } from '../../service/sending/actions.ts';
import type { DeviceScope } from '../../service/sessions/scope.ts';
import type { ActionToSend } from '../../service/sending/sending.ts';
import type { Parts } from '../wire/parts.ts';
import type { Idempotency } from '../../service/sending/send-once.ts';
import { chatIn } from '../schemas/chat.ts';
import { viewOf } from './stored-message.ts';
import { ChangedSchema, ofChat } from '../schemas/message-change.ts';
import { SentSchema } from '../schemas/messages/send.ts';

export const idempotencyHeader = {
  'Idempotency-Key': {
    description:
      '1 to 255 printable ASCII characters, kept 24 h: the same key and body give the first answer again, and never a second message',
    schema: Type.String({ minLength: 1, maxLength: 255, examples: ['order-4711-confirmation'] }),
  },
};

export const creationHeader = {
  'Idempotency-Key': {
    description:
      '1 to 255 printable ASCII characters, kept 24 h: the same key and body give the first answer again, and make nothing a second time',
    schema: Type.String({ minLength: 1, maxLength: 255, examples: ['order-4711'] }),
  },
};

/** Bytes stand for the characters that they are, one each. */
export type Members = Readonly<Record<string, unknown>>;

/** SHA-256 over the route and the fields by name, independent of their order and of white space. */
const fingerprintOf = (route: string, body: Members): string => {
  const hash = createHash('sha256').update(route);
  for (const name of Object.keys(body).sort()) {
    const given = body[name] ?? '';
    const value = typeof given === 'string' || given instanceof Uint8Array ? given : JSON.stringify(given);
    hash.update(`\0${name}\0${value.length}\0`).update(value);
  }
  return hash.digest('hex');
};

/** The request's idempotency key, with a fingerprint of its content. Throws InvalidRequest. */
export const idempotencyOf = (request: FastifyRequest, route: string, body: Members): Idempotency | undefined => {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw invalidRequest('Idempotency-Key must be 1 to 255 printable ASCII characters');
  }
  return { key, fingerprint: fingerprintOf(route, body) };
};

export interface Call {
  readonly parts: Parts;
  readonly scope: DeviceScope;
  readonly request: FastifyRequest;
}

interface SendBody {
  readonly to?: string | undefined;
  readonly toNumber?: string | undefined;
  readonly quotedMessageId?: string | undefined;
  readonly mentions?: readonly string[] | undefined;
}

const success = { status: 'success' } as const;

export const sent = async (
  { parts, scope, request }: Call,
  body: SendBody & Members,
  content: OutgoingContent,
  linkPreview = false,
) => {
  const { to, toNumber, quotedMessageId, mentions } = body;
  const previewBy = linkPreview ? request.deadline! : undefined;
  const message = { recipient: parseRecipient(to, toNumber), content, quotedMessageId, mentions, previewBy };
  const idempotency = idempotencyOf(request, content.kind, body);
  const attempt = request.attempt ?? undefined;
  return { ...success, ...(await parts.sending.send(scope, message, idempotency, attempt)) };
};

interface ActionCall extends Call {
  readonly params: { readonly messageId: string };
  readonly query: { readonly chat?: string | undefined };
}

/** `route` names the operation, for the fingerprint of a request with an idempotency key. */
export const sentAction = async (
  { parts, scope, request, params: { messageId }, query }: ActionCall,
  route: string,
  body: Members,
  made: Pick<ActionToSend, 'make' | 'recipient'>,
) => {
  const idempotency = idempotencyOf(request, `${route} ${messageId} ${query.chat ?? ''}`, body);
  const attempt = request.attempt ?? undefined;
  const earlier = { messageId, chat: chatIn(query), ...made };
  return { ...success, ...(await parts.sending.sendAction(scope, earlier, idempotency, attempt)) };
};

/** The earlier message after the change was accepted. */
export const changed = async (call: ActionCall, route: string, body: Members, make: MakeAction<MessageAction>) => {
  await sentAction(call, route, body, { make });
  return viewOf(call);
};

/** Shared by declarations of sends and of changes to an earlier message. */
const each = {
  headers: idempotencyHeader,
  atOwner: true,
  sends: true,
  errors: [400, 401, 403, 404, 408, 409, 413, 422, 429, 500],
} as const;

export const sending = { ...each, answer: SentSchema, bySchema: true } as const;

export const changing = { ...each, query: ofChat, answer: ChangedSchema } as const;
