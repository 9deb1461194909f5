/** The profile of the account (docs/spec/conversation.md, Profile). */
import * as declared from '../../contract/operations/profile.ts';
import { ok, parseTimestamp } from '../wire/values.ts';
import { handle } from '../wire/operation.ts';
import { withPicture } from './media-source.ts';
import { parseUsername } from '../../domain/chats/usernames.ts';

export const getProfile = handle(declared.getProfile, async ({ services, scope }) => {
  return { profile: await services.profiles.get(scope), status: ok('Profile retrieved') };
});

export const updateProfile = handle(
  declared.updateProfile,
  async ({ services, scope, body: { name, about, aboutExpiresAt, username, usernameKey } }) => {
    const change = {
      ...(name !== undefined && { name }),
      ...(about !== undefined && { about }),
      ...(typeof aboutExpiresAt === 'string' && { aboutExpiresAt: parseTimestamp('aboutExpiresAt', aboutExpiresAt) }),
      ...(username !== undefined && {
        username: username === null ? null : parseUsername(username, undefined, 'username').username,
      }),
      ...(usernameKey !== undefined && { usernameKey }),
    };
    return { profile: await services.profiles.change(scope, change), status: ok('Profile updated') };
  },
);

export const setProfilePicture = handle(declared.setProfilePicture, async ({ services, scope, body, request }) => {
  const requester = { userId: scope.userId, deadline: request.deadline! };
  const profile = await withPicture(body, (source) => services.profiles.setPicture(scope, source, requester));
  return { profile, status: ok('Picture set') };
});

export const removeProfilePicture = handle(declared.removeProfilePicture, async ({ services, scope }) => {
  return { profile: await services.profiles.removePicture(scope), status: ok('Picture removed') };
});
