/** Communities: groups of groups (docs/spec/communities.md). */
import * as declared from '../../contract/operations/communities.ts';
import { personView } from '../../domain/event-view.ts';
import { communityView } from '../views/group.ts';
import { handle } from '../wire/operation.ts';
import { ok } from '../wire/values.ts';
import { idempotencyOf } from './sent.ts';

export const listCommunities = handle(declared.listCommunities, async ({ services, scope }) => {
  const found = await services.communities.list(scope);
  const communities = found.map(({ community, groups }) => communityView(community, groups));
  return { communities, status: ok('Communities listed') };
});

export const createCommunity = handle(declared.createCommunity, async ({ services, scope, body, request }) => {
  const { subject, description = null, groups = [] } = body;
  const once = idempotencyOf(request, 'community', body);
  const {
    community,
    groups: linked,
    results,
  } = await services.communities.create(scope, { subject, description, groups }, once);
  return { community: communityView(community, linked), results: [...results], status: ok('Community created') };
});

export const getCommunity = handle(declared.getCommunity, async ({ services, scope, params }) => {
  const { community, groups, people } = await services.communities.get(scope, params.community);
  const shown = { ...communityView(community, groups), people: people.map(personView) };
  return { community: shown, status: ok('Community retrieved') };
});

export const endCommunity = handle(declared.endCommunity, async ({ services, scope, params }) => {
  await services.communities.end(scope, params.community);
  return { status: ok('Community ended') };
});

export const leaveCommunity = handle(declared.leaveCommunity, async ({ services, scope, params }) => {
  await services.communities.leave(scope, params.community);
  return { status: ok('Community left') };
});

export const linkGroup = handle(declared.linkGroup, async ({ services, scope, params }) => {
  await services.communities.link(scope, params.community, params.group, true);
  return { status: ok('Group added') };
});

export const unlinkGroup = handle(declared.unlinkGroup, async ({ services, scope, params }) => {
  await services.communities.link(scope, params.community, params.group, false);
  return { status: ok('Group removed') };
});
