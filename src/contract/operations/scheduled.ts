/** Scheduled messages (docs/spec/messages.md, Sends at a time). */
import { answer, members } from '../build.ts';
import { pageParameters } from '../schemas/page.ts';
import { RescheduleSchema, ScheduledListSchema, ScheduledSchema } from '../schemas/scheduled.ts';
import { changes, declare, destroys, reads } from '../operation.ts';

export const listScheduled = declare({
  id: 'listScheduled',
  path: '/devices/{id}/messages/scheduled',
  command: 'send scheduled <device>',
  client: 'messages.listScheduled',
  tool: {
    name: 'list_scheduled',
  },
  ...reads('0.4.0'),
  tag: 'Messages',
  summary: 'List the messages that wait for their time',
  description: 'Those sent with `sendAt`, the next ones first, until they leave.',
  query: members(pageParameters),
  answer: ScheduledListSchema,
});

export const updateScheduled = declare({
  id: 'updateScheduled',
  method: 'PUT',
  path: '/devices/{id}/messages/scheduled/{messageId}',
  command: 'send reschedule <device> <messageId>',
  client: 'messages.updateScheduled',
  ...changes('0.4.0', 'send'),
  tag: 'Messages',
  summary: 'Change a message that waits for its time',
  description: 'Its time, or its text or caption, until it leaves.',
  body: {
    schema: RescheduleSchema,
    examples: { text: { message: 'At ten, not at nine' } },
  },
  answer: ScheduledSchema,
  atOwner: true,
  errors: ['messageLeaves'],
});

export const cancelScheduled = declare({
  id: 'cancelScheduled',
  method: 'DELETE',
  path: '/devices/{id}/messages/scheduled/{messageId}',
  command: 'send cancel <device> <messageId>',
  client: 'messages.cancelScheduled',
  tool: {
    name: 'cancel_scheduled',
  },
  ...destroys('0.4.0', 'send'),
  tag: 'Messages',
  summary: 'Cancel a message that waits for its time',
  description: 'Until it leaves. Afterwards, `DELETE /devices/{id}/messages/{messageId}` deletes it for everyone.',
  answer: answer({}),
  atOwner: true,
  errors: ['messageLeaves'],
});
