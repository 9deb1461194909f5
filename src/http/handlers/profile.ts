/** The profile of the account (docs/spec/conversation.md, Profile). */
import { ok, parseTimestamp } from '../wire/build.ts';
import { ProfileAnswer, UpdateProfileSchema } from '../schemas/people.ts';
import { operation } from '../wire/operation.ts';
import { mediaLimit } from '../body/body.ts';
import { takeLargeMember } from '../body/large-member.ts';
import { SetPictureSchema } from '../schemas/messages/send.ts';
import { sourceOf } from './media-source.ts';

export const getProfile = operation({
  id: 'getProfile',
  method: 'GET',
  path: '/devices/{id}/profile',
  tag: 'Chats',
  summary: 'Retrieve the profile of the account',
  answer: ProfileAnswer,
  atOwner: true,
  errors: [401, 404, 408, 422, 429, 500],
  async run({ parts, scope }) {
    return { profile: await parts.profiles.get(scope), status: ok('Profile retrieved') };
  },
});

export const updateProfile = operation({
  id: 'updateProfile',
  method: 'PUT',
  path: '/devices/{id}/profile',
  tag: 'Chats',
  summary: 'Change the name or the text of the account',
  description: 'Changes only the given fields.',
  body: {
    schema: UpdateProfileSchema,
    examples: {
      both: { name: 'Bakery', about: 'Open from 7' },
      expiring: { about: 'Back on Monday', aboutExpiresAt: '2030-01-07T06:00:00Z' },
    },
  },
  answer: ProfileAnswer,
  atOwner: true,
  errors: [400, 401, 404, 408, 409, 413, 422, 429, 500],
  async run({ parts, scope, body: { name, about, aboutExpiresAt } }) {
    const change = {
      ...(name !== undefined && { name }),
      ...(about !== undefined && { about }),
      ...(typeof aboutExpiresAt === 'string' && { aboutExpiresAt: parseTimestamp('aboutExpiresAt', aboutExpiresAt) }),
    };
    return { profile: await parts.profiles.change(scope, change), status: ok('Profile updated') };
  },
});

export const setProfilePicture = operation({
  id: 'setProfilePicture',
  method: 'PUT',
  path: '/devices/{id}/profile/picture',
  tag: 'Chats',
  summary: 'Set the picture of the account',
  description: 'PNG, JPEG, GIF or WebP, recognised by its bytes, at most 10 MB; cut to a square of 640 pixels.',
  body: {
    schema: SetPictureSchema,
    limit: mediaLimit,
    largeMember: 'mediaBase64',
    examples: { byUrl: { mediaUrl: 'https://example.com/cat.png' }, byBase64: { mediaBase64: 'iVBORw0KGgo=' } },
  },
  answer: ProfileAnswer,
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 422, 429, 500],
  async run({ parts, scope, body, request }) {
    const source = sourceOf(body.mediaUrl, takeLargeMember(body) ?? body.mediaBase64);
    return {
      profile: await parts.profiles.setPicture(scope, source, { userId: scope.userId, deadline: request.deadline! }),
      status: ok('Picture set'),
    };
  },
});

export const removeProfilePicture = operation({
  id: 'removeProfilePicture',
  method: 'DELETE',
  path: '/devices/{id}/profile/picture',
  tag: 'Chats',
  summary: 'Remove the picture of the account',
  answer: ProfileAnswer,
  atOwner: true,
  errors: [401, 404, 408, 422, 429, 500],
  async run({ parts, scope }) {
    return { profile: await parts.profiles.removePicture(scope), status: ok('Picture removed') };
  },
});
