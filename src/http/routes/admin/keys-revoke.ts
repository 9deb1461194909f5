/** `DELETE /users/{userId}/keys/{keyId}` (docs/spec/users.md, Operator). */
import { idOf, userOf } from '../../admission/admin.ts';
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';

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
