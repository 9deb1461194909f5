/** Common to the sends: the message handed to the service, and its answer. */
import type { FastifyRequest } from 'fastify';
import type { MessageAction, OutgoingContent } from '../../../domain/messages/outgoing.ts';
import { parseRecipient } from '../../../domain/recipient.ts';
import type { MadeOf } from '../../../service/sending/earlier.ts';
import type { MadeOfEarlier } from '../../../service/sending/sending.ts';
import { idempotencyOf, type Members } from '../../admission/idempotency.ts';
import type { Caller } from '../../admission/authenticate.ts';
import type { Parts } from '../../server/parts.ts';
import { viewOf } from './earlier.ts';

interface Call {
  readonly parts: Parts;
  readonly caller: Caller;
  readonly deviceId: number;
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
  { parts, caller, deviceId, request }: Call,
  body: SendBody & Members,
  content: OutgoingContent,
  linkPreview = false,
) => {
  const { to, toNumber, quotedMessageId, mentions } = body;
  const previewBy = linkPreview ? request.deadline! : undefined;
  const message = { recipient: parseRecipient(to, toNumber), content, quotedMessageId, mentions, previewBy };
  const idempotency = idempotencyOf(request, content.kind, body);
  const wished = request.messageId ?? undefined;
  return { ...success, ...(await parts.sending.send(caller.user.id, deviceId, message, idempotency, wished)) };
};

interface EarlierCall extends Call {
  readonly params: { readonly messageId: string };
  readonly query: { readonly chat?: string | undefined };
}

/** `route` names the operation, for the fingerprint of a request with an idempotency key. */
export const sentOfEarlier = async (
  { parts, caller, deviceId, request, params: { messageId }, query: { chat } }: EarlierCall,
  route: string,
  body: Members,
  made: Pick<MadeOfEarlier, 'make' | 'recipient'>,
) => {
  const idempotency = idempotencyOf(request, `${route} ${messageId} ${chat ?? ''}`, body);
  const wished = request.messageId ?? undefined;
  const earlier = { messageId, chat, ...made };
  return { ...success, ...(await parts.sending.sendOfEarlier(caller.user.id, deviceId, earlier, idempotency, wished)) };
};

/** The earlier message as it is once the change is accepted. */
export const changed = async (call: EarlierCall, route: string, body: Members, make: MadeOf<MessageAction>) => {
  await sentOfEarlier(call, route, body, { make });
  return viewOf(call);
};
