/** The profile of the account (docs/spec/conversation.md, Profile). */
import { ProfileAnswer, UpdateProfileSchema } from '../schemas/people.ts';
import { imageErrors } from '../errors.ts';
import { changes, declare, mediaLimit, reads } from '../operation.ts';
import { SetPictureSchema } from '../schemas/messages/send-media.ts';

export const getProfile = declare({
  id: 'getProfile',
  path: '/devices/{id}/profile',
  command: 'profile <device>',
  client: 'profile.get',
  tool: {
    name: 'get_profile',
    description: 'Name, about text and picture of the account of a device',
  },
  ...reads('0.3.0'),
  tag: 'Chats',
  summary: 'Retrieve the profile of the account',
  description: 'Its number, name, text and picture.',
  answer: ProfileAnswer,
  connected: true,
});

export const updateProfile = declare({
  id: 'updateProfile',
  method: 'PUT',
  path: '/devices/{id}/profile',
  command: 'profile <device>',
  nullWords: { username: 'none', usernameKey: 'none' },
  client: 'profile.update',
  tool: {
    name: 'update_profile',
    description: 'Changes the profile of the account; everybody sees it',
  },
  ...changes('0.3.0', 'manage'),
  tag: 'Chats',
  summary: 'Change the name, the text or the username of the account',
  description:
    'Changes only the given fields. A 400 says that somebody else has the username, or that the network keeps it back.',
  body: {
    schema: UpdateProfileSchema,
    examples: {
      both: { name: 'Bakery', about: 'Open from 7' },
      username: { username: 'the.bakery', usernameKey: '4711' },
      expiring: { about: 'Back on Monday', aboutExpiresAt: '2030-01-07T06:00:00Z' },
    },
  },
  answer: ProfileAnswer,
  connected: true,
  errors: ['settingsNotShared'],
});

export const setProfilePicture = declare({
  id: 'setProfilePicture',
  method: 'PUT',
  path: '/devices/{id}/profile/picture',
  command: 'profile <device>',
  client: 'profile.setPicture',
  ...changes('0.3.0', 'manage'),
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
  connected: true,
  errors: [...imageErrors, 'oneSource'],
});

export const removeProfilePicture = declare({
  id: 'removeProfilePicture',
  method: 'DELETE',
  path: '/devices/{id}/profile/picture',
  command: 'profile <device>',
  client: 'profile.removePicture',
  ...changes('0.3.0', 'manage'),
  tag: 'Chats',
  summary: 'Remove the picture of the account',
  description: 'People then see no picture of the account.',
  answer: ProfileAnswer,
  connected: true,
});
