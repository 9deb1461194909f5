/** Groups: list, create, read, change, picture and leave (docs/spec/groups.md). */
import * as declared from '../../contract/operations/groups.ts';
import type { RequestedFile } from '../../service/sending/files.ts';
import { answerPages, sendPicture } from '../streams/answers.ts';
import { groupViews, oneGroupView, resultsView } from '../views/group.ts';
import { handle } from '../wire/operation.ts';
import { ok } from '../wire/values.ts';
import { idempotencyOf } from './sent.ts';
import { withPicture } from './media-source.ts';

export const listGroups = handle(declared.listGroups, async (call) => {
  const { services, scope } = call;
  return answerPages(call, { name: 'groups', done: 'Groups listed' }, async (piece) => {
    const page = await services.groups.list(scope, piece);
    return { ...page, items: await groupViews(call, page.items) };
  });
});

export const getGroup = handle(declared.getGroup, async ({ services, scope, params, deviceId }) => {
  const group = await services.groups.get(scope, params.group);
  return { group: await oneGroupView({ services, deviceId }, group), status: ok('Group retrieved') };
});

export const createGroup = handle(declared.createGroup, async ({ services, scope, body, request, deviceId }) => {
  const once = idempotencyOf(request, 'group', body);
  const { group, results } = await services.groups.create(scope, body, once);
  return {
    group: await oneGroupView({ services, deviceId }, group),
    results: resultsView(results),
    status: ok('Group created'),
  };
});

export const updateGroup = handle(declared.updateGroup, async ({ services, scope, params, body, deviceId }) => {
  const group = await services.groups.change(scope, params.group, body);
  return { group: await oneGroupView({ services, deviceId }, group), status: ok('Group updated') };
});

export const getGroupPicture = handle(declared.getGroupPicture, async ({ services, scope, params, request, reply }) => {
  const picture = await services.groups.picture(scope, params.group);
  return sendPicture(request, reply, picture);
});

export const setGroupPicture = handle(
  declared.setGroupPicture,
  async ({ services, scope, params, body, request, deviceId }) => {
    const requester = { userId: scope.userId, deadline: request.deadline! };
    const set = (source: RequestedFile) => services.groups.setPicture(scope, params.group, source, requester);
    const group = await withPicture(body, set);
    return { group: await oneGroupView({ services, deviceId }, group), status: ok('Picture set') };
  },
);

export const removeGroupPicture = handle(declared.removeGroupPicture, async ({ services, scope, params, deviceId }) => {
  const group = await services.groups.removePicture(scope, params.group);
  return { group: await oneGroupView({ services, deviceId }, group), status: ok('Picture removed') };
});

export const leaveGroup = handle(declared.leaveGroup, async ({ services, scope, params }) => {
  await services.groups.leave(scope, params.group);
  return { status: ok('Group left') };
});
