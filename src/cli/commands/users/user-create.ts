/** `handset user create`: a user and their first key, which is printed this once. */
import { type Command, positional, textOption } from '../../command/command.ts';
import { type UserView, wholeNumber } from '../../command/operator.ts';

const defaultLimit = '10';

export const userCreate: Command = {
  words: 'user create',
  summary: 'Create a user with an API key, which is shown only once (operator)',
  positionals: ['name'],
  options: { 'device-limit': { type: 'string', help: `number of active devices (default: ${defaultLimit})` } },
  async run({ admin, out }, given) {
    const client = admin();
    const deviceLimit = wholeNumber('device-limit', textOption(given, 'device-limit') ?? defaultLimit);
    const wish = { name: positional(given, 0), deviceLimit };
    const { user } = await client.call<{ user: UserView }>('POST', '/users', wish);
    const path = `/users/${user.id}/keys`;
    const { key } = await client.call<{ key: { secret: string } }>('POST', path, { name: 'first key' });
    out.value({ user, key });
    out.line(key.secret);
    if (!out.json) out.note(`User ${user.id} created; the key is shown only this once`);
  },
};
