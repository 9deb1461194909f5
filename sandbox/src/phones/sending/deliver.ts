/** Adds a new message to the phone's own view, and sends it. */
import { proto } from 'baileys';
import { type Message, type PhoneContext, type Withheld, messageId } from '../context/context.ts';
import { conflict } from '../../base/errors.ts';
import { resolve } from '../context/address.ts';
import { applyChange, keepTimer } from '../reading/apply-change.ts';
import { read } from '../reading/read.ts';
import type { Shown, ViewMessage } from '../context/view.ts';
import { withSecret } from './compose.ts';
import { unsealed } from '../context/secrets.ts';
import { post, type Route, routeTo, type StanzaOverrides } from './sending.ts';

export const assertOnline = ({ line }: PhoneContext): void => {
  if (!line.isOpen) throw conflict('the phone is offline');
};

export const openRoute = (phone: PhoneContext, to: string): Promise<Route> => {
  assertOnline(phone);
  return routeTo(phone, to);
};

export const shownOf = async (phone: PhoneContext, message: Message): Promise<Shown> => {
  const reading = await read(message, phone);
  if (reading.kind !== 'shown') throw conflict('there is nothing to send');
  return reading.shown;
};

const addOwn = (phone: PhoneContext, to: string, id: string, shown: Shown): void => {
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

export const deliver = async (phone: PhoneContext, given: NewMessage): Promise<string> => {
  const { to, route, message, shown, withheld } = given;
  const id = messageId();
  addOwn(phone, to, id, shown);
  await post(phone, route, { id, message: withSecret(message), edit: null, withheld });
  phone.changed();
  return id;
};

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

/** Raw bytes: content this version does not know, or that no app would write. */
export interface RawMessage {
  /** A serialised `Message`, or anything else. */
  readonly bytes: Uint8Array;
  readonly stanza: StanzaOverrides & { readonly edit?: string | null };
}

const rawShown = async (phone: PhoneContext, bytes: Uint8Array): Promise<Shown | null> => {
  try {
    const reading = await read(proto.Message.decode(bytes), phone);
    return reading.kind === 'shown' ? reading.shown : null;
  } catch {
    return null;
  }
};

export const sendRaw = async (phone: PhoneContext, to: string, { bytes, stanza }: RawMessage): Promise<string> => {
  const route = await openRoute(phone, to);
  const shown = await rawShown(phone, bytes);
  const id = messageId();
  if (shown !== null) addOwn(phone, to, id, shown);
  await post(phone, route, { id, message: bytes, edit: stanza.edit ?? null, stanza });
  phone.changed();
  return id;
};
