/** Scheduled messages (docs/spec/messages.md, Sends at a time). */
import * as declared from '../../contract/operations/scheduled.ts';
import { answerPages } from '../streams/answers.ts';
import { scheduledView } from '../views/messages/scheduled.ts';
import { handle } from '../wire/operation.ts';
import { ok, parseTimestamp } from '../wire/values.ts';

export const listScheduled = handle(declared.listScheduled, async (call) =>
  answerPages(call, { name: 'scheduled', done: 'Scheduled messages listed' }, async (piece) => {
    const page = await call.services.stores.scheduled.list(call.deviceId, piece);
    return { ...page, items: page.items.map(scheduledView) };
  }),
);

const timeOf = (member: string, text: string | undefined): number | undefined =>
  text === undefined ? undefined : parseTimestamp(member, text);

export const updateScheduled = handle(declared.updateScheduled, async ({ services, scope, params, body }) => {
  const patch = {
    sendAt: timeOf('sendAt', body.sendAt),
    sendUntil: timeOf('sendUntil', body.sendUntil),
    text: body.message,
  };
  const message = await services.schedule.change(scope, params.messageId, patch);
  return { scheduled: scheduledView(message), status: ok('Scheduled message changed') };
});

export const cancelScheduled = handle(declared.cancelScheduled, async ({ services, scope, params }) => {
  await services.schedule.cancel(scope, params.messageId);
  return { status: ok('Scheduled message cancelled') };
});
