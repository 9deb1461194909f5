/** Changes of a message: edit, delete, forward, react, pin and star (docs/spec/messages.md). */
import { changing, idempotencyHeader, sending } from './sent.ts';
import {
  EditSchema,
  ofDeletion,
  ForwardSchema,
  ofChat,
  ReactionSchema,
  PinSchema,
  StarSchema,
  ChangedSchema,
} from '../schemas/message-change.ts';
import { changes, declare, destroys } from '../operation.ts';
import { answer } from '../build.ts';

export const editMessage = declare({
  id: 'editMessage',
  method: 'PUT',
  path: '/devices/{id}/messages/{messageId}',
  command: 'send edit <device> <messageId> <message>',
  client: 'messages.edit',
  tool: {
    name: 'edit_message',
    description: 'Edits a text or caption of this account, up to 15 minutes after it was sent',
    takes: ['message'],
  },
  since: '0.3.0',
  tag: 'Messages',
  summary: 'Edit a text or a caption',
  description:
    'Own messages only, up to 15 minutes after they were sent. Answers the message as it is then, once the network has accepted the edit.',
  ...changing,
  body: { schema: EditSchema, examples: { text: { message: 'Hello, world' } } },
  errors: ['notEditable', 'tooOldToEdit'],
});

export const deleteMessage = declare({
  id: 'deleteMessage',
  method: 'DELETE',
  path: '/devices/{id}/messages/{messageId}',
  command: 'send delete <device> <messageId>',
  client: 'messages.delete',
  tool: {
    name: 'delete_message',
    description:
      'Deletes a message for everyone: one of this account, or as administrator of the group; with forMe any message, on this account only',
    takes: ['forMe'],
  },
  ...destroys('0.3.0', 'send'),
  tag: 'Messages',
  summary: 'Delete a message for everyone, or on this account',
  description:
    'For everyone: own messages, in a group also those of others as its administrator, up to 60 hours after they were sent. With `forMe=true` any message, on this account only: it disappears from its phone and its other devices.',
  headers: idempotencyHeader,
  query: ofDeletion,
  answer: answer({}),
  sends: true,
  connected: true,
  errors: ['tooOldToDelete'],
});

export const forwardMessage = declare({
  id: 'forwardMessage',
  method: 'POST',
  path: '/devices/{id}/messages/{messageId}/forward',
  command: 'send forward <device> <messageId> <to>',
  client: 'messages.forward',
  tool: {
    name: 'forward_message',
    takes: ['to', 'sendAt'],
  },
  since: '0.3.0',
  tag: 'Messages',
  summary: 'Forward a message to a person or a group',
  description:
    'Texts, media, locations and contacts. The copy is marked as forwarded; its media is not uploaded again.',
  ...sending,
  body: { schema: ForwardSchema, examples: { toNumber: { toNumber: '4915112345678' } } },
  query: ofChat,
  errors: ['viewOnce'],
});

export const setReaction = declare({
  id: 'setReaction',
  method: 'PUT',
  path: '/devices/{id}/messages/{messageId}/reaction',
  command: 'send reaction <device> <messageId> <emoji>',
  nullWords: { reaction: 'none' },
  client: 'messages.react',
  tool: {
    name: 'react',
    description: 'Reacts to a message with one emoji; null takes it back',
    takes: ['reaction'],
  },
  since: '0.3.0',
  tag: 'Messages',
  summary: 'React to a message',
  description: 'One emoji, which replaces an earlier one; null removes it.',
  ...changing,
  body: { schema: ReactionSchema, examples: { thumb: { reaction: '👍' }, none: { reaction: null } } },
  errors: ['reactionRule'],
});

export const setPin = declare({
  id: 'setPin',
  method: 'PUT',
  path: '/devices/{id}/messages/{messageId}/pin',
  command: 'message pin <device> <messageId>',
  client: 'messages.pin',
  tool: {
    name: 'pin_message',
    takes: ['pinned', 'seconds'],
  },
  since: '0.3.0',
  tag: 'Messages',
  summary: 'Pin or unpin a message for everyone',
  description: 'For 24 hours, 7 days or 30 days.',
  ...changing,
  body: { schema: PinSchema, examples: { week: { pinned: true, seconds: 604800 }, none: { pinned: false } } },
});

export const setStar = declare({
  id: 'setStar',
  method: 'PUT',
  path: '/devices/{id}/messages/{messageId}/star',
  command: 'message star <device> <messageId>',
  client: 'messages.star',
  tool: {
    name: 'star_message',
    description: 'Stars a message, or takes the star away, on this account only',
    takes: ['starred'],
  },
  ...changes('0.3.0', 'send'),
  tag: 'Messages',
  summary: 'Star or unstar a message',
  description:
    'On this account only: its phone and its other devices show the star. Answers once the network has accepted it; repeating it is harmless.',
  body: { schema: StarSchema, examples: { star: { starred: true }, none: { starred: false } } },
  query: ofChat,
  answer: ChangedSchema,
  connected: true,
  errors: ['settingsNotShared'],
});
