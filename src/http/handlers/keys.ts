/** API keys of the caller (docs/spec/users.md, API keys). */
import { Type } from 'typebox';
import { operation } from '../wire/operation.ts';
import {
  createKeyExamples,
  CreateKeySchema,
  expiryOf,
  KeySchema,
  keyView,
  newExpiryOf,
  NewKeySchema,
  updateKeyExamples,
  UpdateKeySchema,
} from '../schemas/account.ts';
import { answer, ok } from '../wire/build.ts';
import { idOf } from '../admission/admin.ts';

export const listKeys = operation({
  id: 'listKeys',
  method: 'GET',
  path: '/keys',
  tag: 'Account',
  summary: 'List the API keys of the caller',
  answer: answer({ keys: Type.Array(KeySchema) }),
  errors: [401, 408, 429, 500],
  async run({ parts, caller }) {
    const keys = await parts.users.listKeys(caller.user.id);
    return { keys: keys.map(keyView), status: ok('Keys listed') };
  },
});

export const createKey = operation({
  id: 'createKey',
  method: 'POST',
  path: '/keys',
  tag: 'Account',
  summary: 'Create an API key',
  description: 'Only its hash is stored, so the key is shown only in this answer.',
  body: { schema: CreateKeySchema, examples: createKeyExamples },
  answer: answer({ key: NewKeySchema }),
  errors: [400, 401, 408, 413, 429, 500],
  async run({ parts, caller, actor, body }) {
    const wish = { name: body.name, expiresAt: expiryOf(body.expiresAt) };
    const { key, secret } = await parts.users.createKey(caller.user.id, wish, actor);
    return { key: { ...keyView(key), secret }, status: ok('Key created; it is shown only this once') };
  },
});

export const updateKey = operation({
  id: 'updateKey',
  method: 'PUT',
  path: '/keys/{keyId}',
  tag: 'Account',
  summary: 'Set or remove the expiry of an API key',
  description: 'To rotate a key: create a new one, switch to it, and let the old one expire.',
  body: { schema: UpdateKeySchema, examples: updateKeyExamples },
  answer: answer({ key: KeySchema }),
  errors: [400, 401, 404, 408, 413, 429, 500],
  async run({ parts, caller, actor, params, body }) {
    const id = idOf('Key', params.keyId);
    const key = await parts.users.setKeyExpiry(caller.user.id, id, newExpiryOf(body.expiresAt), actor);
    return { key: keyView(key), status: ok(`Key ${id} updated`) };
  },
});

export const revokeKey = operation({
  id: 'revokeKey',
  method: 'DELETE',
  path: '/keys/{keyId}',
  tag: 'Account',
  summary: 'Revoke an API key',
  description: 'The key stops working at once. A key may revoke itself.',
  answer: answer({}),
  errors: [401, 404, 408, 429, 500],
  async run({ parts, caller, actor, params }) {
    await parts.users.revokeKey(caller.user.id, idOf('Key', params.keyId), actor);
    return { status: ok(`Key ${params.keyId} revoked`) };
  },
});
