/** Members of a group, requests to join, and invitations (docs/spec/groups.md). */
import * as declared from '../../contract/operations/group-members.ts';
import { resultsView, requestView, inviteView, previewView } from '../views/group.ts';
import { ok } from '../wire/values.ts';
import { handle } from '../wire/operation.ts';

export const addMembers = handle(declared.addMembers, async ({ services, scope, params, body }) => {
  const results = await services.groups.changeMembers(scope, params.group, 'add', body.members);
  return { results: resultsView(results), status: ok('Members asked for') };
});

export const removeMember = handle(declared.removeMember, async ({ services, scope, params }) => {
  const people = [params.person];
  const results = await services.groups.changeMembers(scope, params.group, 'remove', people);
  return { results: resultsView(results), status: ok('Removal asked for') };
});

export const setAdmin = handle(declared.setAdmin, async ({ services, scope, params, body: { admin } }) => {
  const act = admin ? 'promote' : 'demote';
  const results = await services.groups.changeMembers(scope, params.group, act, [params.person]);
  return { results: resultsView(results), status: ok('Change of the member asked for') };
});

export const listJoinRequests = handle(declared.listJoinRequests, async ({ services, scope, params }) => {
  const requests = await services.groups.requests(scope, params.group);
  return { requests: requests.map(requestView), status: ok('Requests listed') };
});

export const decideRequest = handle(declared.decideRequest, async ({ services, scope, params, body: { approved } }) => {
  await services.groups.decide(scope, params.group, params.person, approved);
  return { status: ok(approved ? 'Request approved' : 'Request rejected') };
});

export const getInvite = handle(declared.getInvite, async ({ services, scope, params }) => {
  const code = await services.groups.invite(scope, params.group, false);
  return { invite: inviteView(code), status: ok('Link retrieved') };
});

export const rotateInvite = handle(declared.rotateInvite, async ({ services, scope, params }) => {
  const code = await services.groups.invite(scope, params.group, true);
  return { invite: inviteView(code), status: ok('Link revoked, and another one made') };
});

export const previewInvite = handle(declared.previewInvite, async ({ services, scope, params }) => {
  const group = await services.groups.preview(scope, params.code);
  return { group: previewView(group), status: ok('Group of the link retrieved') };
});

export const joinGroup = handle(declared.joinGroup, async ({ services, scope, body }) => {
  const joined = await services.groups.join(scope, body.invite);
  return { ...joined, status: ok(joined.waits ? 'An administrator has to approve it' : 'Group joined') };
});
