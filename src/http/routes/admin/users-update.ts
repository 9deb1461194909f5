/** `PUT /users/{userId}` (docs/spec/users.md, Operator). */
import { accountOf, userOf } from '../../admission/admin.ts';
import { operation } from '../../wire/operation.ts';
import { UpdateUserSchema, UserSchema } from '../../schemas/account.ts';
import { answer, ok } from '../../wire/build.ts';

export const updateUser = operation({
  id: 'updateUser',
  method: 'PUT',
  path: '/users/{userId}',
  tag: 'Operator',
  summary: 'Update the name or device limit of a user',
  description: 'Changes only the given fields. A limit below the number of active devices stops none of them.',
  body: { schema: UpdateUserSchema, examples: { limit: { deviceLimit: 50 } } },
  answer: answer({ user: UserSchema }),
  errors: [400, 401, 404, 408, 409, 413, 500],
  async run({ parts, actor, params, body }) {
    const { id } = await userOf(parts, params.userId);
    const user = await parts.users.updateUser(id, body, actor);
    return { user: await accountOf(parts, user), status: ok(`User ${id} updated`) };
  },
});
