/** Labels of chats and messages (docs/spec/labels.md). */
import * as declared from '../../contract/operations/labels.ts';
import { shownLabel } from '../../domain/chats/label.ts';
import { answerPages } from '../streams/answers.ts';
import { handle } from '../wire/operation.ts';
import { ok } from '../wire/values.ts';
import { idempotencyOf } from './sent.ts';
import { storedMessage, viewOf } from './stored-message.ts';

export const listLabels = handle(declared.listLabels, async (call) => {
  const { services, deviceId } = call;
  return answerPages(call, { name: 'labels', done: 'Labels listed' }, async (piece) => {
    const page = await services.stores.labels.list(deviceId, piece);
    return { ...page, items: page.items.map(shownLabel) };
  });
});

export const createLabel = handle(declared.createLabel, async ({ services, scope, body, request }) => {
  const { name, color = 0 } = body;
  const once = idempotencyOf(request, 'label', body);
  return { label: await services.labels.create(scope, { name, color }, once), status: ok('Label created') };
});

export const updateLabel = handle(declared.updateLabel, async ({ services, scope, params, body }) => ({
  label: await services.labels.change(scope, params.labelId, body),
  status: ok('Label updated'),
}));

export const deleteLabel = handle(declared.deleteLabel, async ({ services, scope, params }) => {
  await services.labels.remove(scope, params.labelId);
  return { status: ok('Label deleted') };
});

export const setMessageLabels = handle(declared.setMessageLabels, async (call) => {
  const message = await storedMessage(call);
  await call.services.labels.setOfMessage(call.scope, message, call.body.labels);
  return { message: await viewOf(call), status: ok('Labels set') };
});
