/** The path of the keys that a command is about: one's own, or with `--user` another user's. */
import type { Client } from '../client/client.ts';
import { type Arguments, type Context, textOption } from './command.ts';
import { userOf } from './operator.ts';

export const keyPath = async (context: Context, given: Arguments): Promise<{ client: Client; path: string }> => {
  const user = textOption(given, 'user');
  if (user === undefined) return { client: context.client(), path: '/keys' };
  const client = context.admin();
  return { client, path: `/users/${(await userOf(client, user)).id}/keys` };
};
