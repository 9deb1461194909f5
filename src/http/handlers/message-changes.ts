/** Changes of a message: edit, delete, forward, react, pin and star (docs/spec/messages.md). */
import { deletion, edit, forward, pin, reaction } from '../../service/sending/actions.ts';
import {
  ChangedSchema,
  EditSchema,
  ForwardSchema,
  ofChat,
  ofDeletion,
  PinSchema,
  ReactionSchema,
  StarSchema,
} from '../schemas/message-change.ts';
import { answer, ok } from '../wire/build.ts';
import { operation } from '../wire/operation.ts';
import { changed, changing, idempotencyHeader, sending, sentAction } from './sent.ts';
import { storedMessage, viewOf } from './stored-message.ts';
import { parseRecipient } from '../../domain/jid.ts';
import { checkStar } from '../../domain/messages/rules.ts';

export const editMessage = operation({
  id: 'editMessage',
  method: 'PUT',
  path: '/devices/{id}/messages/{messageId}',
  tag: 'Messages',
  summary: 'Edit a text or a caption',
  description:
    'Own messages only, up to 15 minutes after they were sent. Answers the message as it is then, once the network has accepted the edit.',
  ...changing,
  body: { schema: EditSchema, examples: { text: { message: 'Hello, world' } } },
  async run(call) {
    const { message: text } = call.body;
    return { message: await changed(call, 'edit', call.body, edit(text)), status: ok('Message edited') };
  },
});

export const deleteMessage = operation({
  id: 'deleteMessage',
  method: 'DELETE',
  path: '/devices/{id}/messages/{messageId}',
  tag: 'Messages',
  summary: 'Delete a message for everyone, or on this account',
  description:
    'For everyone: own messages, in a group also those of others as its administrator, up to 60 hours after they were sent. With `forMe=true` any message, on this account only: its phone and its other devices show it no more.',
  headers: idempotencyHeader,
  query: ofDeletion,
  answer: answer({}),
  atOwner: true,
  sends: true,
  errors: [400, 401, 404, 408, 409, 422, 429, 500],
  async run(call) {
    if (call.query.forMe === 'true') {
      const message = await storedMessage(call);
      await call.parts.writeAppState(call.scope, [{ kind: 'deleteForMe', message }]);
    } else await changed(call, 'delete', {}, deletion);
    return { status: ok('Message deleted') };
  },
});

export const forwardMessage = operation({
  id: 'forwardMessage',
  method: 'POST',
  path: '/devices/{id}/messages/{messageId}/forward',
  tag: 'Messages',
  summary: 'Forward a message to a person or a group',
  description:
    'Texts, media, locations and contacts. The copy is marked as forwarded; its media is not uploaded again.',
  ...sending,
  body: { schema: ForwardSchema, examples: { toNumber: { toNumber: '4915112345678' } } },
  query: ofChat,
  run({ body, ...call }) {
    const recipient = parseRecipient(body.to, body.toNumber);
    return sentAction(call, 'forward', body, { recipient, make: forward });
  },
});

export const setReaction = operation({
  id: 'setReaction',
  method: 'PUT',
  path: '/devices/{id}/messages/{messageId}/reaction',
  tag: 'Messages',
  summary: 'React to a message',
  description: 'One emoji, which replaces an earlier one; null takes it back.',
  ...changing,
  body: { schema: ReactionSchema, examples: { thumb: { reaction: '👍' }, none: { reaction: null } } },
  async run(call) {
    const make = reaction(call.body.reaction);
    return { message: await changed(call, 'reaction', call.body, make), status: ok('Reaction set') };
  },
});

export const setPin = operation({
  id: 'setPin',
  method: 'PUT',
  path: '/devices/{id}/messages/{messageId}/pin',
  tag: 'Messages',
  summary: 'Pin a message for everyone, or take the pin away',
  description: 'For 24 hours, 7 days or 30 days.',
  ...changing,
  body: { schema: PinSchema, examples: { week: { pinned: true, seconds: 604800 }, none: { pinned: false } } },
  async run(call) {
    const { pinned, seconds = 604_800 } = call.body;
    const make = pin(pinned ? seconds : null);
    return {
      message: await changed(call, 'pin', call.body, make),
      status: ok(pinned ? 'Message pinned' : 'Pin removed'),
    };
  },
});

export const setStar = operation({
  id: 'setStar',
  method: 'PUT',
  path: '/devices/{id}/messages/{messageId}/star',
  tag: 'Messages',
  summary: 'Star a message, or take the star away',
  description:
    'On this account only: its phone and its other devices show the star. Answers once the network has taken it; to do it again is harmless.',
  body: { schema: StarSchema, examples: { star: { starred: true }, none: { starred: false } } },
  query: ofChat,
  answer: ChangedSchema,
  atOwner: true,
  errors: [400, 401, 404, 408, 409, 413, 422, 429, 500],
  async run(call) {
    const { starred } = call.body;
    const message = await storedMessage(call);
    checkStar(message);
    await call.parts.writeAppState(call.scope, [{ kind: 'star', message, starred }]);
    return { message: await viewOf(call), status: ok(starred ? 'Message starred' : 'Star removed') };
  },
});
