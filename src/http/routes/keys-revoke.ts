/** `DELETE /keys/{keyId}` (decisions.md, Users, keys, subscriptions). */
import { notFound } from '../../errors.ts';
import { operation } from '../operation.ts';
import { answer, ok } from '../schemas/build.ts';

export const revokeKey = operation({
  id: 'revokeKey',
  method: 'DELETE',
  path: '/keys/{keyId}',
  tag: 'Account',
  summary: 'Revoke an API key',
  description: 'It stops to work at once. A key may revoke itself.',
  answer: answer({}),
  errors: [401, 404, 408, 429, 500],
  async run({ parts, caller, params }) {
    if (!/^[1-9]\d{0,8}$/.test(params.keyId)) throw notFound('Key');
    await parts.users.revokeKey(caller.user.id, Number(params.keyId));
    return { status: ok(`Key ${params.keyId} revoked`) };
  },
});
