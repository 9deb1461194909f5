/** `DELETE /users/{userId}` (docs/spec/users.md, Operator). */
import { userOf } from '../../admission/admin.ts';
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';

export const deleteUser = operation({
  id: 'deleteUser',
  method: 'DELETE',
  path: '/users/{userId}',
  tag: 'Operator',
  summary: 'Delete a user and all their keys',
  description: 'Fails with 409 while the user has devices.',
  answer: answer({}),
  errors: [401, 404, 408, 409, 500],
  async run({ parts, actor, params }) {
    const { id } = await userOf(parts, params.userId);
    await parts.users.deleteUser(id, actor);
    return { status: ok(`User ${id} deleted`) };
  },
});
