/** Users and their keys, for the operator (docs/spec/users.md, Operator). */
import { answer } from '../../build.ts';
import { Type } from 'typebox';
import {
  UserSchema,
  CreateUserSchema,
  UpdateUserSchema,
  KeySchema,
  CreateKeySchema,
  createKeyExamples,
  NewKeySchema,
  UpdateKeySchema,
  updateKeyExamples,
} from '../../schemas/account.ts';
import { changes, declare, destroys, reads } from '../../operation.ts';

export const listUsers = declare({
  id: 'listUsers',
  path: '/users',
  command: 'user list',
  ...reads('0.1.0', 'operator'),
  tag: 'Operator',
  summary: 'List users, with limits and usage',
  description: 'Oldest first.',
  answer: answer({ users: Type.Array(UserSchema) }),
});

export const getUser = declare({
  id: 'getUser',
  path: '/users/{userId}',
  command: null,
  ...reads('0.1.0', 'operator'),
  tag: 'Operator',
  summary: 'Retrieve a user, with limits and usage',
  description: 'With the number of devices that count against the limit.',
  answer: answer({ user: UserSchema }),
});

export const createUser = declare({
  id: 'createUser',
  method: 'POST',
  path: '/users',
  command: 'user create <name>',
  ...changes('0.1.0', 'operator'),
  tag: 'Operator',
  summary: 'Create a user',
  description: 'The user has no key yet: create one next.',
  body: { schema: CreateUserSchema, examples: { user: { name: 'acme', deviceLimit: 25 } } },
  answer: answer({ user: UserSchema }),
});

export const updateUser = declare({
  id: 'updateUser',
  method: 'PUT',
  path: '/users/{userId}',
  command: 'user update <user>',
  ...changes('0.1.0', 'operator'),
  tag: 'Operator',
  summary: 'Update the name or device limit of a user',
  description: 'Changes only the given fields. A limit below the number of active devices stops none of them.',
  body: { schema: UpdateUserSchema, examples: { limit: { deviceLimit: 50 } } },
  answer: answer({ user: UserSchema }),
});

export const deleteUser = declare({
  id: 'deleteUser',
  method: 'DELETE',
  path: '/users/{userId}',
  command: 'user delete <user>',
  ...destroys('0.1.0', 'operator'),
  tag: 'Operator',
  summary: 'Delete a user and all their keys',
  description: 'Fails with 409 while the user has devices.',
  answer: answer({}),
  errors: ['userHasDevices'],
});

export const listUserKeys = declare({
  id: 'listUserKeys',
  path: '/users/{userId}/keys',
  command: 'key list',
  ...reads('0.1.0', 'operator'),
  tag: 'Operator',
  summary: 'List the API keys of a user',
  description: 'With the last four characters of each. The keys themselves are not stored.',
  answer: answer({ keys: Type.Array(KeySchema) }),
});

export const createUserKey = declare({
  id: 'createUserKey',
  method: 'POST',
  path: '/users/{userId}/keys',
  command: 'key create <name>',
  ...changes('0.1.0', 'operator'),
  tag: 'Operator',
  summary: 'Create an API key for a user',
  description: 'Only its hash is stored, so the key is shown only in this answer.',
  body: { schema: CreateKeySchema, examples: createKeyExamples },
  answer: answer({ key: NewKeySchema }),
});

export const updateUserKey = declare({
  id: 'updateUserKey',
  method: 'PUT',
  path: '/users/{userId}/keys/{keyId}',
  command: 'key expire <key>',
  ...changes('0.1.0', 'operator'),
  tag: 'Operator',
  summary: 'Set or remove the expiry of a key of a user',
  description: 'To rotate a key: create a new one, switch to it, and let the old one expire.',
  body: { schema: UpdateKeySchema, examples: updateKeyExamples },
  answer: answer({ key: KeySchema }),
});

export const revokeUserKey = declare({
  id: 'revokeUserKey',
  method: 'DELETE',
  path: '/users/{userId}/keys/{keyId}',
  command: 'key revoke <key>',
  ...destroys('0.1.0', 'operator'),
  tag: 'Operator',
  summary: 'Revoke an API key of a user',
  description: 'The key stops working at once.',
  answer: answer({}),
});
