/** Status posts of a phone: one ciphertext under the sender key of `status@broadcast`, to all devices of the audience. */
import { type BinaryNode, proto } from 'baileys';
import type { Account } from '../../base/types.ts';
import { childrenOf, element } from '../../base/nodes.ts';
import { conflict, notFound } from '../../base/errors.ts';
import { type Addressee, addressee, resolve } from '../context/address.ts';
import { type Message, messageId, type PhoneContext, serialized } from '../context/context.ts';
import { askDevices } from '../context/requests.ts';
import { STATUS, type ViewStatus } from '../context/statuses.ts';
import { encAttributes, padded } from './plaintext.ts';
import { shownOf } from './deliver.ts';
import { encryptForGroup } from './groups.ts';
import { ensureSessions } from './sending.ts';
import { stanzaType } from './stanza-type.ts';

export interface StatusPost {
  readonly message: Message;
  readonly audience: readonly Account[];
}

const devicesOf = async (phone: PhoneContext, accounts: readonly Account[]): Promise<readonly Addressee[]> => {
  const lists = await askDevices(
    phone.line,
    accounts.map(({ lid }) => lid),
  );
  const all = accounts.flatMap((account) => (lists.get(account.lid) ?? []).map((number) => addressee(account, number)));
  return ensureSessions(
    phone,
    all.filter(({ account, device }) => account !== phone.account || device !== 0),
  );
};

/** Addresses these people and the own devices. Holders of the sender key are listed by account, without a ciphertext. */
const tell = async (
  phone: PhoneContext,
  accounts: readonly Account[],
  message: Message,
  { id, edit = null }: { readonly id: string; readonly edit?: string | null },
): Promise<void> => {
  const everybody = [...new Set([...accounts, phone.account])];
  const devices = await devicesOf(phone, everybody);
  const { type, mediatype, isHidden } = stanzaType(message);
  const bytes = serialized(message);
  const encAttrs = encAttributes({ type, mediatype, isHidden, meta: null });
  const [first, second] = await encryptForGroup(phone, STATUS, devices, bytes, encAttrs);
  const keys = second === undefined ? [] : childrenOf(first);
  const keyed = new Set(keys.map(({ attrs }) => resolve(phone.hub, attrs['jid'] ?? '')?.account));
  const bare = everybody.filter((account) => !keyed.has(account)).map(({ lid }) => element('to', { jid: lid }));
  phone.sent.set(id, { to: STATUS, bytes, type, edit, peer: false, withheld: null });
  phone.counters.sent += 1;
  phone.changed();
  phone.line.tell({
    tag: 'message',
    attrs: { id, to: STATUS, type, ...(edit !== null && { edit }) },
    content: [element('participants', {}, [...keys, ...bare]), (second ?? first)!],
  });
};

const colourIn = ({ extendedTextMessage: said }: Message): string | null =>
  said?.backgroundArgb ? `#${(said.backgroundArgb & 0xff_ff_ff).toString(16).padStart(6, '0')}` : null;

export const viewOf = async (
  phone: PhoneContext,
  message: Message,
  given: Pick<ViewStatus, 'id' | 'from' | 'fromMe'> & { readonly at: number; readonly audience?: readonly string[] },
): Promise<ViewStatus> => {
  const { type, text, image, media, error } = await shownOf(phone, message);
  const { at, audience = [], ...envelope } = given;
  return {
    ...envelope,
    type,
    text,
    image,
    media,
    error,
    audience,
    timestamp: new Date(at).toISOString(),
    background: colourIn(message),
    font: message.extendedTextMessage?.font ?? null,
    revoked: false,
    viewed: false,
    likes: [],
    viewers: [],
  };
};

export const postStatus = async (phone: PhoneContext, { message, audience }: StatusPost): Promise<string> => {
  const id = messageId();
  const { jid: from } = phone.account;
  const lids = audience.map(({ lid }) => lid);
  const view = await viewOf(phone, message, { id, from, fromMe: true, at: Date.now(), audience: lids });
  phone.statuses.set(id, view);
  await tell(phone, audience, message, { id });
  return id;
};

const found = (phone: PhoneContext, id: string): ViewStatus => {
  const status = phone.statuses.get(id);
  if (status === undefined) throw notFound(`there is no status ${id} on this phone`);
  return status;
};

export const revokeStatus = async (phone: PhoneContext, id: string): Promise<void> => {
  const status = found(phone, id);
  if (!status.fromMe || status.audience.length === 0) throw conflict('one deletes what one posted on this phone');
  const accounts = status.audience.flatMap((lid) => phone.hub.findAccount(lid) ?? []);
  const key = { remoteJid: STATUS, fromMe: true, id };
  const message = { protocolMessage: { key, type: proto.Message.ProtocolMessage.Type.REVOKE } };
  await tell(phone, accounts, message, { id: messageId(), edit: '7' });
  phone.statuses.set(id, { ...status, revoked: true });
  phone.changed();
};

/** Opens a post. Its author is told if the phone sends read receipts. */
export const viewStatus = (phone: PhoneContext, id: string): void => {
  const status = found(phone, id);
  if (status.fromMe) throw conflict('one views what others posted');
  const { hub, behaviour, line } = phone;
  const author = hub.findAccount(status.from);
  const attrs = { id, to: STATUS, type: 'read', context: 'status', participant: author?.lid ?? status.from };
  if (behaviour.readReceipts) line.tell({ tag: 'receipt', attrs });
  phone.statuses.set(id, { ...status, viewed: true });
  phone.changed();
};

/** Sent to the author's devices only, without a sender key. */
export const likeStatus = async (phone: PhoneContext, id: string, emoji: string): Promise<void> => {
  const status = found(phone, id);
  const author = phone.hub.findAccount(status.from);
  if (author === null || status.fromMe) throw conflict('one likes what others posted');
  const key = { remoteJid: STATUS, fromMe: false, id, participant: author.lid };
  const message = { reactionMessage: { key, text: emoji, senderTimestampMs: Date.now() } };
  const nodes: BinaryNode[] = [];
  for (const { address, jid } of await devicesOf(phone, [author])) {
    const { type, body } = await phone.keys.peer.encrypt(address, padded(serialized(message)));
    nodes.push(element('to', { jid }, [element('enc', { v: '2', type, 'decrypt-fail': 'hide' }, body)]));
  }
  phone.line.tell({
    tag: 'message',
    attrs: { id: messageId(), to: STATUS, type: 'reaction' },
    content: [element('participants', {}, nodes)],
  });
};
