/** Scheduled messages (docs/spec/messages.md, Sends at a time). */
import * as declared from '../../contract/operations/scheduled.ts';
import { iso } from '../../domain/event-view.ts';
import { givenBytes, type ScheduledContent, type ScheduledMessage } from '../../domain/messages/scheduled.ts';
import { answerPages } from '../streams/answers.ts';
import { handle } from '../wire/operation.ts';
import { ok, parseTimestamp } from '../wire/values.ts';

const typeOf = (content: ScheduledContent) => {
  if (content.kind === 'plain') return content.content.kind;
  return content.kind === 'file' ? content.file.kind : content.kind;
};

const textOf = (content: ScheduledContent): string | null => {
  if (content.kind === 'file') return content.caption;
  if (content.kind === 'forward' || content.kind === 'album') return null;
  const said = content.content;
  switch (said.kind) {
    case 'text':
      return said.text;
    case 'poll':
      return said.poll.question;
    case 'location':
      return said.location.name;
    case 'contact':
      return said.contacts.map(({ name }) => name).join(', ');
  }
};

const scheduledView = ({ body, isLeaving, ...message }: ScheduledMessage) => {
  const { recipient, content } = body;
  const source = content.kind === 'file' ? content.source : null;
  return {
    messageId: message.messageId,
    to: recipient.jid,
    toNumber: recipient.kind === 'number' ? recipient.number : null,
    type: typeOf(content),
    text: textOf(content),
    mediaUrl: source !== null && 'url' in source ? source.url : null,
    fileBytes: givenBytes(content) || null,
    sendAt: iso(message.sendAt),
    sendUntil: iso(message.sendUntil),
    createdAt: iso(message.createdAt),
    attempts: message.attempts,
    sending: isLeaving,
  };
};

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
