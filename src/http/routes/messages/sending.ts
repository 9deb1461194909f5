/** Common to the declarations of the sends, and to those of changes to an earlier message. */
import { ChangedSchema, ofChat } from '../../schemas/message-change.ts';
import { SentSchema } from '../../schemas/messages/send.ts';
import { idempotencyHeader } from './sent.ts';

const each = {
  headers: idempotencyHeader,
  atOwner: true,
  sends: true,
  errors: [400, 401, 403, 404, 408, 409, 413, 422, 429, 500],
} as const;

export const sending = { ...each, answer: SentSchema, bySchema: true } as const;

export const changing = { ...each, query: ofChat, answer: ChangedSchema } as const;
