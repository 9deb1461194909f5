/** Users and their keys, for the operator (docs/spec/users.md, Operator). */
import * as declared from '../../contract/operations/admin/users.ts';
import { accountOf, userOf, idOf } from '../admission/admin.ts';
import { ok } from '../wire/values.ts';
import { handle } from '../wire/operation.ts';
import { keyView, keyPatchOf, keyRequestOf } from '../views/account.ts';

export const listUsers = handle(declared.listUsers, async ({ services }) => {
  const users = await services.users.listUsers();
  return { users: await Promise.all(users.map((user) => accountOf(services, user))), status: ok('Users listed') };
});

export const getUser = handle(declared.getUser, async ({ services, params }) => {
  const user = await userOf(services, params.userId);
  return { user: await accountOf(services, user), status: ok(`User ${user.id} retrieved`) };
});

export const createUser = handle(declared.createUser, async ({ services, actor, body }) => {
  const user = await services.users.createUser(body.name, body.deviceLimit, actor);
  return { user: await accountOf(services, user), status: ok(`User ${user.id} created`) };
});

export const updateUser = handle(declared.updateUser, async ({ services, actor, params, body }) => {
  const { id } = await userOf(services, params.userId);
  const user = await services.users.updateUser(id, body, actor);
  return { user: await accountOf(services, user), status: ok(`User ${id} updated`) };
});

export const deleteUser = handle(declared.deleteUser, async ({ services, actor, params }) => {
  const { id } = await userOf(services, params.userId);
  await services.users.deleteUser(id, actor);
  return { status: ok(`User ${id} deleted`) };
});

export const listUserKeys = handle(declared.listUserKeys, async ({ services, params }) => {
  const { id } = await userOf(services, params.userId);
  return { keys: (await services.users.listKeys(id)).map(keyView), status: ok('Keys listed') };
});

export const createUserKey = handle(declared.createUserKey, async ({ services, actor, params, body }) => {
  const { id } = await userOf(services, params.userId);
  const { key, secret } = await services.users.createKey(id, keyRequestOf(body), actor);
  return { key: { ...keyView(key), secret }, status: ok('Key created; it is shown only this once') };
});

export const updateUserKey = handle(declared.updateUserKey, async ({ services, actor, params, body }) => {
  const { id } = await userOf(services, params.userId);
  const key = await services.users.updateKey(id, idOf('Key', params.keyId), keyPatchOf(body), actor);
  return { key: keyView(key), status: ok(`Key ${key.id} updated`) };
});

export const revokeUserKey = handle(declared.revokeUserKey, async ({ services, actor, params }) => {
  const { id } = await userOf(services, params.userId);
  await services.users.revokeKey(id, idOf('Key', params.keyId), actor);
  return { status: ok(`Key ${params.keyId} revoked`) };
});
