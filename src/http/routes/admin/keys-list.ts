/** `GET /users/{userId}/keys` (docs/spec/users.md, Operator). */
import { Type } from 'typebox';
import { userOf } from '../../admission/admin.ts';
import { operation } from '../../wire/operation.ts';
import { KeySchema, keyView } from '../../schemas/account.ts';
import { answer, ok } from '../../wire/build.ts';

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
