/** Helpers of the operator's commands: users by name or id, and the options `--user` and `--admin`. */
import { type Client, CommandError, usageError } from '../../mcp/client.ts';
import { allOf } from '../client/client.ts';
import type { Command } from './command.ts';

export interface UserView {
  readonly id: number;
  readonly name: string;
  readonly deviceLimit: number;
  readonly activeDevices: number;
  readonly createdAt: string;
}

export const userOf = async (admin: Client, text: string): Promise<UserView> => {
  const { users } = await admin.call<{ users: readonly UserView[] }>('GET', '/users');
  const found = users.find(({ id }) => String(id) === text) ?? users.find(({ name }) => name === text);
  if (found === undefined) throw new CommandError(`unknown user "${text}"; see "handset user list"`);
  return found;
};

export interface OperatorDevice {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  readonly status: string;
  readonly subscription_status: string;
  readonly messagesSent: number;
}

export const allDevices = (admin: Client): Promise<readonly OperatorDevice[]> =>
  allOf<OperatorDevice>(admin, 'devices');

export const wholeNumber = (name: string, text: string): number => {
  if (!/^\d{1,7}$/.test(text)) throw usageError(`--${name} must be a whole number; "${text}" is not`);
  return Number(text);
};

export const userOption: Required<Pick<Command, 'options'>> = {
  options: { user: { type: 'string', help: 'act for this user, by id or name (operator; needs HANDSET_ADMIN_TOKEN)' } },
};

export const adminOption: Required<Pick<Command, 'options'>> = {
  options: { admin: { type: 'boolean', help: 'act on a device of any user (operator; needs HANDSET_ADMIN_TOKEN)' } },
};
