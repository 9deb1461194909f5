/** The right to delete a message for everyone: its author has it, and in a group its administrators. */
import { conflict } from '../../base/errors.ts';
import { chatName, isGroup } from '../context/address.ts';
import type { PhoneContext } from '../context/context.ts';
import { askAdministrators } from '../context/requests.ts';
import type { ViewMessage } from '../context/view.ts';

export const mayRevoke = async (phone: PhoneContext, { chat, from }: ViewMessage, by: string): Promise<boolean> => {
  if (from === by) return true;
  if (!isGroup(chat)) return false;
  const administrators = await askAdministrators(phone.line, chat);
  return administrators.some((jid) => chatName(phone.hub, jid) === by);
};

export const assertMayRevoke = async (phone: PhoneContext, message: ViewMessage): Promise<void> => {
  if (await mayRevoke(phone, message, phone.account.jid)) return;
  throw conflict('only its author can delete a message for everyone, or an administrator of its group');
};
