/** `POST /users` (docs/spec/users.md, Operator). */
import { accountOf } from '../../admission/admin.ts';
import { operation } from '../../wire/operation.ts';
import { CreateUserSchema, UserSchema } from '../../schemas/account.ts';
import { answer, ok } from '../../wire/build.ts';

export const createUser = operation({
  id: 'createUser',
  method: 'POST',
  path: '/users',
  tag: 'Operator',
  summary: 'Create a user',
  description: 'The user has no key yet: create one next.',
  body: { schema: CreateUserSchema, examples: { user: { name: 'acme', deviceLimit: 25 } } },
  answer: answer({ user: UserSchema }),
  errors: [400, 401, 408, 409, 413, 500],
  async run({ parts, actor, body }) {
    const user = await parts.users.createUser(body.name, body.deviceLimit, actor);
    return { user: await accountOf(parts, user), status: ok(`User ${user.id} created`) };
  },
});
