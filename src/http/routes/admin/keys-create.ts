/** `POST /users/{userId}/keys` (docs/spec/users.md, Operator). */
import { userOf } from '../../admission/admin.ts';
import { operation } from '../../wire/operation.ts';
import { CreateKeySchema, createKeyExamples, expiryOf, keyView, NewKeySchema } from '../../schemas/account.ts';
import { answer, ok } from '../../wire/build.ts';

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
