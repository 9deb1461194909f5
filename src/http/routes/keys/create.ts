/** `POST /keys` (docs/spec/users.md, API keys): several may be valid at once, which is how they are rotated. */
import { operation } from '../../wire/operation.ts';
import { CreateKeySchema, createKeyExamples, expiryOf, keyView, NewKeySchema } from '../../schemas/account.ts';
import { answer, ok } from '../../wire/build.ts';

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
