/** `handset user list`. */
import type { Command } from '../../command/command.ts';
import type { UserView } from '../../command/operator.ts';
import { table } from '../../terminal/output.ts';

export const userList: Command = {
  words: 'user list',
  summary: 'List users, with limits and usage (operator)',
  positionals: [],
  async run({ admin, out }) {
    const { users } = await admin().call<{ users: readonly UserView[] }>('GET', '/users');
    out.value(users);
    const rows = users.map((user) => [
      String(user.id),
      `${user.activeDevices} of ${user.deviceLimit}`,
      user.createdAt,
      user.name,
    ]);
    out.line(...table(['ID', 'DEVICES', 'CREATED', 'NAME'], rows));
  },
};
