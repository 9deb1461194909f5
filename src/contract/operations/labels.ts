/** Labels of chats and messages (docs/spec/labels.md). */
import { Type } from 'typebox';
import { answer, members } from '../build.ts';
import { changes, declare, destroys, reads } from '../operation.ts';
import {
  CreateLabelSchema,
  LabelAnswer,
  LabelSchema,
  SetLabelsSchema,
  UpdateLabelSchema,
} from '../schemas/messages/label.ts';
import { ChangedSchema, ofChat } from '../schemas/message-change.ts';
import { nextCursor, pageParameters } from '../schemas/page.ts';
import { creationHeader } from './sent.ts';

export const listLabels = declare({
  id: 'listLabels',
  path: '/devices/{id}/labels',
  command: 'label list <device>',
  client: 'labels.list',
  tool: {
    name: 'list_labels',
    description: 'Labels of an account, "lists" in the app; label of list_chats and list_messages is an id',
  },
  ...reads('0.4.0'),
  tag: 'Chats',
  summary: 'List the labels of the account',
  description:
    'In the order in which they were made, those made before the link too. Personal accounts show labels as lists. The app’s own are among them, as far as the phone shares them.',
  query: members(pageParameters),
  answer: answer({ labels: Type.Array(LabelSchema), nextCursor }),
});

export const createLabel = declare({
  id: 'createLabel',
  method: 'POST',
  path: '/devices/{id}/labels',
  command: 'label create <device> <name>',
  client: 'labels.create',
  tool: {
    name: 'create_label',
  },
  ...changes('0.4.0', 'send'),
  tag: 'Chats',
  summary: 'Create a label',
  description: 'On the phone and on the account’s other devices too. Colour 0 if none is given.',
  body: { schema: CreateLabelSchema, examples: { name: { name: 'Waiting' }, color: { name: 'Paid', color: 4 } } },
  headers: creationHeader,
  answer: LabelAnswer,
  connected: true,
  errors: ['labelConflict', 'settingsNotShared'],
});

export const updateLabel = declare({
  id: 'updateLabel',
  method: 'PUT',
  path: '/devices/{id}/labels/{labelId}',
  command: 'label set <device> <labelId>',
  client: 'labels.update',
  tool: {
    name: 'update_label',
  },
  ...changes('0.4.0', 'send'),
  tag: 'Chats',
  summary: 'Rename or recolour a label',
  description: 'Changes only the given fields. Only labels that the owner of the account has made.',
  body: { schema: UpdateLabelSchema, examples: { name: { name: 'Paid' }, color: { color: 4 } } },
  answer: LabelAnswer,
  connected: true,
  errors: ['labelOwn', 'settingsNotShared'],
});

export const deleteLabel = declare({
  id: 'deleteLabel',
  method: 'DELETE',
  path: '/devices/{id}/labels/{labelId}',
  command: 'label delete <device> <labelId>',
  client: 'labels.delete',
  ...destroys('0.4.0', 'send'),
  tag: 'Chats',
  summary: 'Delete a label',
  description:
    'It disappears from all chats and messages that have it; they stay. Only labels that the owner of the account has made.',
  answer: answer({}),
  connected: true,
  errors: ['labelOwn', 'settingsNotShared'],
});

export const setMessageLabels = declare({
  id: 'setMessageLabels',
  method: 'PUT',
  path: '/devices/{id}/messages/{messageId}/labels',
  command: 'message label <device> <messageId>',
  nullWords: { labels: 'off' },
  client: 'messages.setLabels',
  tool: {
    name: 'label_message',
    description: 'Sets the labels (ids) of a message, on this account only',
    takes: ['labels'],
  },
  ...changes('0.4.0', 'send'),
  tag: 'Messages',
  summary: 'Set the labels of a message',
  description: 'On this account only: its phone and its other devices show them. An empty list takes all off.',
  body: { schema: SetLabelsSchema, examples: { one: { labels: ['7'] }, none: { labels: [] } } },
  query: ofChat,
  answer: ChangedSchema,
  connected: true,
  errors: ['labelUnknown', 'labelNotGiven', 'settingsNotShared'],
});
