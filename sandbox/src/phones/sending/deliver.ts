/** Puts what a phone writes on its own screen, and sends it. */
import { conflict } from '../../base/errors.ts';
import { resolve } from '../context/address.ts';
import type { Message, PhoneContext, Withheld } from '../context/context.ts';
import { applyChange } from '../reading/apply-change.ts';
import { read } from '../reading/read.ts';
import { keepTimer } from '../reading/timer.ts';
import type { Shown, ViewMessage } from '../context/view.ts';
import { withSecret } from './compose.ts';
import { messageId } from '../context/ids.ts';
import { unsealed } from '../context/secrets.ts';
import { post, type Route, routeTo } from './sending.ts';

export const assertOnline = ({ line }: PhoneContext): void => {
  if (!line.isOpen) throw conflict('the phone is offline');
};

export const openRoute = (phone: PhoneContext, to: string): Promise<Route> => {
  assertOnline(phone);
  return routeTo(phone, to);
};

/** The message as it will be on the screen. */
export const shownOf = async (phone: PhoneContext, message: Message): Promise<Shown> => {
  const reading = await read(message, phone);
  if (reading.kind !== 'shown') throw conflict('there is nothing to send');
  return reading.shown;
};

export const addOwn = (phone: PhoneContext, to: string, id: string, shown: Shown): void => {
  const { account, hub, view } = phone;
  const chat = resolve(hub, to)?.account.jid ?? to;
  keepTimer(phone, chat, shown);
  view.add(shown, {
    id,
    chat,
    from: account.jid,
    fromMe: true,
    pushName: account.name,
    at: Date.now(),
    state: 'pending',
  });
};

export interface NewMessage {
  readonly to: string;
  readonly route: Route;
  readonly message: Message;
  readonly shown: Shown;
  readonly withheld: Withheld | null;
}

/** Sends a new message; its id. */
export const deliver = async (phone: PhoneContext, given: NewMessage): Promise<string> => {
  const { to, route, message, shown, withheld } = given;
  const id = messageId();
  addOwn(phone, to, id, shown);
  await post(phone, route, { id, message: withSecret(message), edit: null, withheld });
  phone.changed();
  return id;
};

/** Sends a message about another one, and does to the own view what it does to everybody's. */
export const alter = async (
  phone: PhoneContext,
  target: ViewMessage,
  message: Message,
  edit: string | null,
): Promise<void> => {
  const route = await openRoute(phone, target.chat);
  await post(phone, route, { id: messageId(), message, edit });
  const { account } = phone;
  applyChange(phone, await read(unsealed(phone, message, account.lid) ?? message, phone), account.jid);
  phone.changed();
};
