/** `GET` and `PUT /devices/{id}/profile` (docs/spec/conversation.md, Profile). */
import { ok } from '../../wire/build.ts';
import { ProfileAnswer, UpdateProfileSchema } from '../../schemas/people.ts';
import { operation } from '../../wire/operation.ts';
import { parseTimestamp } from '../../wire/timestamp.ts';

export const getProfile = operation({
  id: 'getProfile',
  method: 'GET',
  path: '/devices/{id}/profile',
  tag: 'Chats',
  summary: 'Retrieve the profile of the account',
  answer: ProfileAnswer,
  atOwner: true,
  errors: [401, 404, 408, 422, 429, 500],
  async run({ parts, caller, deviceId }) {
    return { profile: await parts.profiles.get(caller.user.id, deviceId), status: ok('Profile retrieved') };
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
  async run({ parts, caller, deviceId, body: { name, about, aboutExpiresAt } }) {
    const change = {
      ...(name !== undefined && { name }),
      ...(about !== undefined && { about }),
      ...(typeof aboutExpiresAt === 'string' && { aboutExpiresAt: parseTimestamp('aboutExpiresAt', aboutExpiresAt) }),
    };
    return { profile: await parts.profiles.change(caller.user.id, deviceId, change), status: ok('Profile updated') };
  },
});
