/** `GET /users/{userId}` (docs/spec/users.md, Operator). */
import { accountOf, userOf } from '../../admission/admin.ts';
import { operation } from '../../wire/operation.ts';
import { UserSchema } from '../../schemas/account.ts';
import { answer, ok } from '../../wire/build.ts';

export const getUser = operation({
  id: 'getUser',
  method: 'GET',
  path: '/users/{userId}',
  tag: 'Operator',
  summary: 'Retrieve a user, with limits and usage',
  answer: answer({ user: UserSchema }),
  errors: [401, 404, 408, 500],
  async run({ parts, params }) {
    const user = await userOf(parts, params.userId);
    return { user: await accountOf(parts, user), status: ok(`User ${user.id} retrieved`) };
  },
});
