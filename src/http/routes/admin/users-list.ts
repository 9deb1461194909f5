/** `GET /users` (docs/spec/users.md, Operator). */
import { Type } from 'typebox';
import { accountOf } from '../../admission/admin.ts';
import { operation } from '../../wire/operation.ts';
import { UserSchema } from '../../schemas/account.ts';
import { answer, ok } from '../../wire/build.ts';

export const listUsers = operation({
  id: 'listUsers',
  method: 'GET',
  path: '/users',
  tag: 'Operator',
  summary: 'List users, with limits and usage',
  answer: answer({ users: Type.Array(UserSchema) }),
  errors: [401, 408, 500],
  async run({ parts }) {
    const users = await parts.users.listUsers();
    return { users: await Promise.all(users.map((user) => accountOf(parts, user))), status: ok('Users listed') };
  },
});
