/** Users and their keys, for the operator (docs/spec/users.md, Operator). */
import { Type } from 'typebox';
import { accountOf, idOf, userOf } from '../admission/admin.ts';
import { operation } from '../wire/operation.ts';
import {
  createKeyExamples,
  CreateKeySchema,
  CreateUserSchema,
  expiryOf,
  KeySchema,
  keyView,
  newExpiryOf,
  NewKeySchema,
  updateKeyExamples,
  UpdateKeySchema,
  UpdateUserSchema,
  UserSchema,
} from '../schemas/account.ts';
import { answer, ok } from '../wire/build.ts';

export const listUsers = operation({
  id: 'listUsers',
  method: 'GET',
  path: '/users',
  tag: 'Operator',
  summary: 'List users, with limits and usage',
  answer: answer({ users: Type.Array(UserSchema) }),
  errors: [401, 408, 500],
  async run({ parts }) {
    const users = await parts.users.listUsers();
    return { users: await Promise.all(users.map((user) => accountOf(parts, user))), status: ok('Users listed') };
  },
});

export const getUser = operation({
  id: 'getUser',
  method: 'GET',
  path: '/users/{userId}',
  tag: 'Operator',
  summary: 'Retrieve a user, with limits and usage',
  answer: answer({ user: UserSchema }),
  errors: [401, 404, 408, 500],
  async run({ parts, params }) {
    const user = await userOf(parts, params.userId);
    return { user: await accountOf(parts, user), status: ok(`User ${user.id} retrieved`) };
  },
});

export const createUser = operation({
  id: 'createUser',
  method: 'POST',
  path: '/users',
  tag: 'Operator',
  summary: 'Create a user',
  description: 'The user has no key yet: create one next.',
  body: { schema: CreateUserSchema, examples: { user: { name: 'acme', deviceLimit: 25 } } },
  answer: answer({ user: UserSchema }),
  errors: [400, 401, 408, 409, 413, 500],
  async run({ parts, actor, body }) {
    const user = await parts.users.createUser(body.name, body.deviceLimit, actor);
    return { user: await accountOf(parts, user), status: ok(`User ${user.id} created`) };
  },
});

export const updateUser = operation({
  id: 'updateUser',
  method: 'PUT',
  path: '/users/{userId}',
  tag: 'Operator',
  summary: 'Update the name or device limit of a user',
  description: 'Changes only the given fields. A limit below the number of active devices stops none of them.',
  body: { schema: UpdateUserSchema, examples: { limit: { deviceLimit: 50 } } },
  answer: answer({ user: UserSchema }),
  errors: [400, 401, 404, 408, 409, 413, 500],
  async run({ parts, actor, params, body }) {
    const { id } = await userOf(parts, params.userId);
    const user = await parts.users.updateUser(id, body, actor);
    return { user: await accountOf(parts, user), status: ok(`User ${id} updated`) };
  },
});

export const deleteUser = operation({
  id: 'deleteUser',
  method: 'DELETE',
  path: '/users/{userId}',
  tag: 'Operator',
  summary: 'Delete a user and all their keys',
  description: 'Fails with 409 while the user has devices.',
  answer: answer({}),
  errors: [401, 404, 408, 409, 500],
  async run({ parts, actor, params }) {
    const { id } = await userOf(parts, params.userId);
    await parts.users.deleteUser(id, actor);
    return { status: ok(`User ${id} deleted`) };
  },
});

export const listUserKeys = operation({
  id: 'listUserKeys',
  method: 'GET',
  path: '/users/{userId}/keys',
  tag: 'Operator',
  summary: 'List the API keys of a user',
  answer: answer({ keys: Type.Array(KeySchema) }),
  errors: [401, 404, 408, 500],
  async run({ parts, params }) {
    const { id } = await userOf(parts, params.userId);
    return { keys: (await parts.users.listKeys(id)).map(keyView), status: ok('Keys listed') };
  },
});

export const createUserKey = operation({
  id: 'createUserKey',
  method: 'POST',
  path: '/users/{userId}/keys',
  tag: 'Operator',
  summary: 'Create an API key for a user',
  description: 'Only its hash is stored, so the key is shown only in this answer.',
  body: { schema: CreateKeySchema, examples: createKeyExamples },
  answer: answer({ key: NewKeySchema }),
  errors: [400, 401, 404, 408, 413, 500],
  async run({ parts, actor, params, body }) {
    const { id } = await userOf(parts, params.userId);
    const wish = { name: body.name, expiresAt: expiryOf(body.expiresAt) };
    const { key, secret } = await parts.users.createKey(id, wish, actor);
    return { key: { ...keyView(key), secret }, status: ok('Key created; it is shown only this once') };
  },
});

export const updateUserKey = operation({
  id: 'updateUserKey',
  method: 'PUT',
  path: '/users/{userId}/keys/{keyId}',
  tag: 'Operator',
  summary: 'Set or remove the expiry of a key of a user',
  body: { schema: UpdateKeySchema, examples: updateKeyExamples },
  answer: answer({ key: KeySchema }),
  errors: [400, 401, 404, 408, 413, 429, 500],
  async run({ parts, actor, params, body }) {
    const { id } = await userOf(parts, params.userId);
    const key = await parts.users.setKeyExpiry(id, idOf('Key', params.keyId), newExpiryOf(body.expiresAt), actor);
    return { key: keyView(key), status: ok(`Key ${key.id} updated`) };
  },
});

export const revokeUserKey = operation({
  id: 'revokeUserKey',
  method: 'DELETE',
  path: '/users/{userId}/keys/{keyId}',
  tag: 'Operator',
  summary: 'Revoke an API key of a user',
  answer: answer({}),
  errors: [401, 404, 408, 500],
  async run({ parts, actor, params }) {
    const { id } = await userOf(parts, params.userId);
    await parts.users.revokeKey(id, idOf('Key', params.keyId), actor);
    return { status: ok(`Key ${params.keyId} revoked`) };
  },
});
