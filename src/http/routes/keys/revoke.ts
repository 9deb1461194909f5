/** `DELETE /keys/{keyId}` (docs/spec/users.md, API keys). */
import { idOf } from '../../admission/admin.ts';
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';

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
