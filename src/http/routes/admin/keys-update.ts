/** `PUT /users/{userId}/keys/{keyId}` (docs/spec/users.md, Operator): rotation with overlap. */
import { idOf, userOf } from '../../admission/admin.ts';
import { operation } from '../../wire/operation.ts';
import { KeySchema, keyView, newExpiryOf, UpdateKeySchema, updateKeyExamples } from '../../schemas/account.ts';
import { answer, ok } from '../../wire/build.ts';

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
