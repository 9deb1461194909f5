/** Shared by the sends: the idempotency key (docs/spec/http-interface.md, Idempotency) and the answer. */
import { Type } from 'typebox';
import { SentSchema } from '../schemas/messages/send.ts';
import { ofChat, ChangedSchema } from '../schemas/message-change.ts';

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

const each = {
  headers: idempotencyHeader,
  sends: true,
  connected: true,
} as const;

export const sending = { ...each, effect: 'sends', action: 'send', answer: SentSchema, bySchema: true } as const;

export const changing = { ...each, effect: 'changes', action: 'send', query: ofChat, answer: ChangedSchema } as const;
