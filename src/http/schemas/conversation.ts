/** Bodies and answers of the acts of a conversation (docs/spec/conversation.md). */
import { Type } from 'typebox';
import { longestTypingSeconds, typingStates } from '../../domain/chats/conversation.ts';
import { answer, members, oneOf, timestamp } from '../wire/build.ts';

export const TypingSchema = members(
  {
    state: oneOf(typingStates, {
      description: '`text`: writing, `voice`: recording, `none`: neither any more',
      errorMessage: 'must be one of text, voice, none',
    }),
    seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: longestTypingSeconds,
        description: `For how long; ${longestTypingSeconds} if omitted. A send to the chat ends it`,
        errorMessage: `must be a whole number from 1 to ${longestTypingSeconds}`,
      }),
    ),
  },
  { title: 'SetTyping' },
);

export const TypingAnswer = answer({
  typing: Type.Object({ state: oneOf(typingStates), until: timestamp('When it ends by itself') }),
});

export const ReadSchema = members(
  {
    messageIds: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        minItems: 1,
        maxItems: 100,
        description: 'Received messages of the chat; all unread ones if omitted',
        errorMessage: 'must be 1 to 100 ids of messages',
      }),
    ),
    typing: Type.Optional(
      oneOf(['text', 'voice'], {
        description:
          'Shows afterwards that the account is writing (`text`) or recording (`voice`), for 25 s or until a send',
        errorMessage: 'must be text or voice',
      }),
    ),
  },
  { title: 'MarkRead' },
);

export const ReadAnswer = answer({
  messageIds: Type.Array(Type.String(), { description: 'The messages that were unread until now' }),
});
