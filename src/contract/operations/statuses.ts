/** Statuses of the account and of its contacts (docs/spec/statuses.md). */
import { answer } from '../build.ts';
import { imageErrors } from '../errors.ts';
import { changes, declare, destroys, mediaLimit, reads } from '../operation.ts';
import {
  PostedSchema,
  PostStatusSchema,
  StatusListSchema,
  statusListParameters,
  StatusReactionSchema,
  ViewersSchema,
  viewersParameters,
} from '../schemas/status.ts';
import { creationHeader } from './sent.ts';

export const postStatus = declare({
  id: 'postStatus',
  method: 'POST',
  path: '/devices/{id}/status',
  command: 'status post <device> <type> <content>',
  client: 'statuses.post',
  tool: {
    name: 'post_status',
    description: 'Posts a text, or a file by mediaUrl, which contacts see for a day',
    takes: ['type', 'text', 'mediaUrl', 'mediaCaption', 'audience'],
  },
  effect: 'sends',
  action: 'send',
  since: '0.4.0',
  tag: 'Statuses',
  summary: 'Post a status',
  description:
    'A text, image, video or voice message that the contacts of the account see for a day. Answers once the network has taken it for all of them; a first status to thousands of people can take longer than a request, and goes on after a 408: repeat it with its `Idempotency-Key`.',
  body: {
    schema: PostStatusSchema,
    limit: mediaLimit,
    largeMember: 'mediaBase64',
    examples: {
      text: { text: 'Open until ten today', background: '#1f7aec', audience: 'contacts' },
      image: { type: 'image', mediaUrl: 'https://example.com/cat.png', mediaCaption: 'A cat' },
      only: { text: 'For you two', audience: { only: ['4915112345678', '4915112345679'] } },
    },
  },
  headers: creationHeader,
  answer: PostedSchema,
  connected: true,
  errors: ['unknownField', ...imageErrors, 'sendFailed', 'sendMediaFailed', 'mediaHostFailed'],
});

export const listStatuses = declare({
  id: 'listStatuses',
  path: '/devices/{id}/status',
  command: 'status list <device>',
  client: 'statuses.list',
  tool: {
    name: 'list_statuses',
    description: 'Statuses of the last day; of contacts with the setting statuses',
  },
  ...reads('0.4.0'),
  tag: 'Statuses',
  summary: 'List the statuses of the last day',
  description:
    'Newest first: those of the account and, where the setting `statuses` is `received`, those of its contacts.',
  query: statusListParameters,
  answer: StatusListSchema,
});

export const deleteStatus = declare({
  id: 'deleteStatus',
  method: 'DELETE',
  path: '/devices/{id}/status/{statusId}',
  command: 'status delete <device> <statusId>',
  client: 'statuses.delete',
  tool: {
    name: 'delete_status',
    description: 'Deletes an own status for everybody',
  },
  ...destroys('0.4.0', 'send'),
  tag: 'Statuses',
  summary: 'Delete a status of the account',
  description: 'For everybody whom it went to. Repeating it is harmless.',
  answer: answer({}),
  connected: true,
  errors: ['notOwnStatus', 'sendFailed'],
});

export const listStatusViewers = declare({
  id: 'listStatusViewers',
  path: '/devices/{id}/status/{statusId}/viewers',
  command: 'status viewers <device> <statusId>',
  client: 'statuses.viewers',
  tool: {
    name: 'list_status_viewers',
    description: 'Who got and saw an own status',
  },
  ...reads('0.4.0'),
  tag: 'Statuses',
  summary: 'List who got and saw a status of the account',
  description: 'In no order. People who give no read receipts are never seen looking at it.',
  query: viewersParameters,
  answer: ViewersSchema,
  errors: ['notOwnStatus'],
});

export const getStatusMedia = declare({
  id: 'getStatusMedia',
  path: '/devices/{id}/status/{statusId}/media',
  command: 'status media <device> <statusId> <file>',
  client: 'statuses.media',
  ...reads('0.4.0'),
  tag: 'Statuses',
  summary: 'Download the media of a status',
  description: 'Decrypted, from the network; it is not kept here.',
  otherContent: [{ type: '*/*', description: 'The file, with the type that its author gave it' }],
  connected: true,
  errors: ['mediaNotFound', 'mediaFetchFailed'],
});

export const viewStatus = declare({
  id: 'viewStatus',
  method: 'POST',
  path: '/devices/{id}/status/{statusId}/view',
  command: 'status view <device> <statusId>',
  client: 'statuses.view',
  ...changes('0.4.0', 'send'),
  tag: 'Statuses',
  summary: 'Tell the author that a status was looked at',
  description: 'Handset never does so by itself. Needs the setting `readReceipts`.',
  answer: answer({}),
  connected: true,
  errors: ['ownStatus', 'noReadReceipts'],
});

export const setStatusReaction = declare({
  id: 'setStatusReaction',
  method: 'PUT',
  path: '/devices/{id}/status/{statusId}/reaction',
  command: 'status reaction <device> <statusId> <emoji>',
  nullWords: { reaction: 'none' },
  client: 'statuses.setReaction',
  ...changes('0.4.0', 'send'),
  tag: 'Statuses',
  summary: 'Like a status',
  description: 'One emoji, which the author alone sees and which replaces an earlier one; null takes it back.',
  body: { schema: StatusReactionSchema, examples: { heart: { reaction: '💚' }, none: { reaction: null } } },
  answer: answer({}),
  connected: true,
  errors: ['ownStatus', 'reactionRule', 'sendFailed'],
});
