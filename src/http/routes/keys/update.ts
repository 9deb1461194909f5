/** `PUT /keys/{keyId}` (docs/spec/users.md, API keys): the old key of a rotation is given an end. */
import { idOf } from '../../admission/admin.ts';
import { operation } from '../../wire/operation.ts';
import { KeySchema, keyView, newExpiryOf, UpdateKeySchema, updateKeyExamples } from '../../schemas/account.ts';
import { answer, ok } from '../../wire/build.ts';

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
