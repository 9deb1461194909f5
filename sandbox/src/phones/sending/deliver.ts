/** Adds a new message to the phone's own view, and sends it. */
import { proto } from 'baileys';
import { type Message, type PhoneContext, serialized, type Withheld, messageId } from '../context/context.ts';
import { conflict } from '../../base/errors.ts';
import { childrenOf, element } from '../../base/nodes.ts';
import type { Account } from '../../base/types.ts';
import { addressee, resolve } from '../context/address.ts';
import { askDevices } from '../context/requests.ts';
import { encryptForGroup } from './groups.ts';
import { applyChange, keepTimer } from '../reading/apply-change.ts';
import { read } from '../reading/read.ts';
import type { Shown, ViewMessage } from '../context/view.ts';
import { withSecret } from './compose.ts';
import { unsealed } from '../context/secrets.ts';
import { ensureSessions, post, type Route, routeTo, type StanzaOverrides } from './sending.ts';

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

/** Sends a change to another message, and applies it to the phone's own view. */
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

/** A message sent as raw bytes: content that this version does not know, or that no app would write. */
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

/** Returns the id. The phone shows the message if it can read it. */
export const sendRaw = async (phone: PhoneContext, to: string, { bytes, stanza }: RawMessage): Promise<string> => {
  const route = await openRoute(phone, to);
  const shown = await rawShown(phone, bytes);
  const id = messageId();
  if (shown !== null) addOwn(phone, to, id, shown);
  await post(phone, route, { id, message: bytes, edit: stanza.edit ?? null, stanza });
  phone.changed();
  return id;
};

/** Status posts: one ciphertext under the sender key of `status@broadcast`, to all devices of the viewers. */
const status = 'status@broadcast';

export const postStatus = async (phone: PhoneContext, viewers: readonly Account[], text: string): Promise<string> => {
  const lists = await askDevices(
    phone.line,
    viewers.map(({ lid }) => lid),
  );
  const all = viewers.flatMap((viewer) => (lists.get(viewer.lid) ?? []).map((number) => addressee(viewer, number)));
  const devices = await ensureSessions(phone, all);
  const message = { extendedTextMessage: { text } };
  const [first, second] = await encryptForGroup(phone, status, devices, serialized(message), {});
  const keys = second === undefined ? [] : childrenOf(first);
  const to = devices.map(({ jid }) => keys.find(({ attrs }) => attrs['jid'] === jid) ?? element('to', { jid }));
  const id = messageId();
  phone.counters.sent += 1;
  phone.changed();
  phone.line.tell({
    tag: 'message',
    attrs: { id, to: status, type: 'text' },
    content: [element('participants', {}, to), (second ?? first)!],
  });
  return id;
};
