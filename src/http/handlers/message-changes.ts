/** Changes of a message: edit, delete, forward, react, pin and star (docs/spec/messages.md). */
import * as declared from '../../contract/operations/message-changes.ts';
import { changed, idempotencyOf, routeOf, scheduledAnswer, scheduleOf, sentAction } from './sent.ts';
import { chatIn } from '../views/chat.ts';
import { edit, deletion, forward, reaction, pin } from '../../service/sending/actions.ts';
import { ok } from '../wire/values.ts';
import { handle } from '../wire/operation.ts';
import { storedMessage, viewOf } from './stored-message.ts';
import { lastingRecipient, recipientIn } from '../../domain/chats/recipient.ts';
import { checkStar } from '../../domain/messages/rules.ts';

export const editMessage = handle(declared.editMessage, async (call) => {
  const { message: text } = call.body;
  return { message: await changed(call, 'edit', call.body, edit(text)), status: ok('Message edited') };
});

export const deleteMessage = handle(declared.deleteMessage, async (call) => {
  if (call.query.forMe === true) {
    const message = await storedMessage(call);
    await call.services.writeAppState(call.scope, [{ kind: 'deleteForMe', message }]);
  } else await changed(call, 'delete', {}, deletion);
  return { status: ok('Message deleted') };
});

export const forwardMessage = handle(declared.forwardMessage, async ({ body, ...call }) => {
  const { services, scope, request, params, query } = call;
  const recipient = recipientIn(body);
  const schedule = scheduleOf(request, body, idempotencyOf(request, routeOf('forward', call), body));
  if (schedule !== null) {
    const copy = { recipient: lastingRecipient(recipient), messageId: params.messageId, chat: chatIn(query) };
    return scheduledAnswer(schedule, await services.schedule.forward(scope, schedule, copy));
  }
  return sentAction(call, 'forward', body, { recipient, make: forward });
});

export const setReaction = handle(declared.setReaction, async (call) => {
  const make = reaction(call.body.reaction);
  return { message: await changed(call, 'reaction', call.body, make), status: ok('Reaction set') };
});

export const setPin = handle(declared.setPin, async (call) => {
  const { pinned, seconds = 604_800 } = call.body;
  const make = pin(pinned ? seconds : null);
  return {
    message: await changed(call, 'pin', call.body, make),
    status: ok(pinned ? 'Message pinned' : 'Pin removed'),
  };
});

export const setStar = handle(declared.setStar, async (call) => {
  const { starred } = call.body;
  const message = await storedMessage(call);
  checkStar(message);
  await call.services.writeAppState(call.scope, [{ kind: 'star', message, starred }]);
  return { message: await viewOf(call), status: ok(starred ? 'Message starred' : 'Star removed') };
});
