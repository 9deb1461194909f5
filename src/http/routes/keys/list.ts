/** `GET /keys` (docs/spec/users.md, API keys). */
import { Type } from 'typebox';
import { operation } from '../../wire/operation.ts';
import { KeySchema, keyView } from '../../schemas/account.ts';
import { answer, ok } from '../../wire/build.ts';

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
