/** Queries for LIDs of numbers, devices of accounts, and accounts of numbers. All throw if the network does not answer. */
import { type BinaryNode, getBinaryNodeChild, S_WHATSAPP_NET } from '../library/nodes.ts';
import { isLidUser, isPnUser } from '../library/jid.ts';
import { USyncQuery, type USyncQueryResultList, USyncUser } from '../library/protocol.ts';
import { NoAnswer, type Queries, type UsyncAnswer } from './query.ts';
import type { Jid } from '../../domain/jid.ts';
import { usernameIn } from '../../domain/chats/usernames.ts';
import type { Socket } from './socket.ts';

interface Asking {
  usync(query: USyncQuery): Promise<UsyncAnswer | null>;
}

const answered = async (sock: Asking, query: USyncQuery, what: string): Promise<readonly USyncQueryResultList[]> => {
  try {
    const answer = await sock.usync(query);
    if (answer !== null) return answer.list;
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
  }
  throw new NoAnswer(`the network did not answer ${what}`);
};

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

export interface LidOfNumber {
  readonly pn: Jid;
  readonly lid: Jid;
}

export const askLids = async (sock: Asking, phones: readonly Jid[]): Promise<LidOfNumber[]> => {
  const query = new USyncQuery().withContext('background').withLIDProtocol();
  for (const phone of phones) query.withUser(new USyncUser().withId(phone));
  const list = await answered(sock, query, 'which LID a number has');
  return list.flatMap(({ id, lid }) => {
    const told = textOf(lid);
    return told === null ? [] : [{ pn: id, lid: told }];
  });
};

export interface AccountOfNumber {
  /** The requested number in digits, which may differ from the JID's. Null if the answer does not repeat it. */
  readonly asked: string | null;
  readonly jid: Jid;
  readonly lid: Jid | null;
}

export const askAccounts = async (sock: Asking, numbers: readonly string[]): Promise<AccountOfNumber[]> => {
  const query = new USyncQuery().withContactProtocol().withLIDProtocol();
  for (const number of numbers) query.withUser(new USyncUser().withPhone(`+${number}`));
  // The library reads only whether there is one; the number is in the content (whatsmeow user.go IsOnWhatsApp, 2026-08-21).
  for (const protocol of query.protocols) if (protocol.name === 'contact') protocol.parser = contactIn;
  const list = await answered(sock, query, 'the look-up of a number');
  return list.flatMap(({ id, lid, contact }) =>
    isContact(contact) && contact.exists ? [{ asked: contact.asked, jid: id, lid: textOf(lid) }] : [],
  );
};

interface Contact {
  readonly exists: boolean;
  readonly asked: string | null;
}

const maxNumber = 32;

const contactIn = ({ attrs, content }: BinaryNode): Contact => {
  const text = typeof content === 'string' || content instanceof Uint8Array ? Buffer.from(content).toString() : '';
  const asked = text.length <= maxNumber ? text.replaceAll(/\D/g, '') : '';
  return { exists: attrs['type'] === 'in', asked: asked === '' ? null : asked };
};

const isContact = (value: unknown): value is Contact =>
  typeof value === 'object' && value !== null && 'exists' in value;

export interface ListedDevice {
  readonly id: number;
  readonly isHosted: boolean;
}

export const askDevices = async (
  sock: Asking,
  jids: readonly Jid[],
): Promise<ReadonlyMap<Jid, readonly ListedDevice[]>> => {
  const query = new USyncQuery().withContext('message').withDeviceProtocol();
  for (const jid of jids) query.withUser(new USyncUser().withId(jid));
  // An account that the network answers with an error is without devices, as in whatsmeow; the library's parser throws, and nobody had any.
  for (const protocol of query.protocols) {
    const parse = protocol.parser.bind(protocol);
    protocol.parser = (told) => (getBinaryNodeChild(told, 'error') === undefined ? parse(told) : null);
  }
  const list = await answered(sock, query, 'which devices an account has');
  return new Map(list.map(({ id, devices }) => [id, devicesIn(devices)]));
};

/** Devices other than the phone have a key index, without which the network refuses messages to them. */
const devicesIn = (told: unknown): ListedDevice[] => {
  const list: unknown = typeof told === 'object' && told !== null ? Reflect.get(told, 'deviceList') : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((each: { id: unknown; keyIndex: unknown; isHosted: unknown }) => {
    const id = Number(each.id);
    const isUsable = Number.isInteger(id) && id >= 0 && (id === 0 || Boolean(each.keyIndex));
    return isUsable ? [{ id, isHosted: each.isHosted === true }] : [];
  });
};

export interface UsernameOfLid {
  readonly lid: Jid;
  readonly username: string | null;
}

/** Bytes. */
const maxUsername = 64;

/** Empty for none; undefined for errors that say nothing about the name. The library's parser throws on any error, and reads no bytes. */
const usernameOf = (node: BinaryNode): string | undefined => {
  const { content } = node;
  const error = getBinaryNodeChild(node, 'error');
  if (error !== undefined) return error.attrs['code'] === '404' ? '' : undefined;
  if (typeof content !== 'string' && !(content instanceof Uint8Array)) return undefined;
  return content.length <= maxUsername ? (usernameIn(Buffer.from(content).toString()) ?? undefined) : undefined;
};

/** Without those of whom the network said nothing. Source: whatsmeow `user.go` (2026-08-21), zapo `profile.ts` (2026-08-19). */
export const askUsernames = async (sock: Asking, lids: readonly Jid[]): Promise<UsernameOfLid[]> => {
  const query = new USyncQuery().withContext('background').withUsernameProtocol();
  for (const lid of lids) query.withUser(new USyncUser().withId(lid));
  for (const protocol of query.protocols) if (protocol.name === 'username') protocol.parser = usernameOf;
  const list = await answered(sock, query, 'the username of a person');
  return list.flatMap(({ id, username }) =>
    lids.includes(id) && typeof username === 'string' ? [{ lid: id, username: username || null }] : [],
  );
};

export interface AccountOfUsername {
  readonly exists: boolean;
  /** Somebody has the name, but the key is missing or wrong. */
  readonly keyRequired: boolean;
  readonly lid: Jid | null;
  readonly phone: Jid | null;
  readonly username: string | null;
}

const nobody: AccountOfUsername = { exists: false, keyRequired: false, lid: null, phone: null, username: null };

const node = (tag: string, attrs: BinaryNode['attrs'], content?: BinaryNode[]): BinaryNode =>
  content === undefined ? { tag, attrs } : { tag, attrs, content };

/**
 * Written by hand: the library's has no addressing mode, throws on an error of one name, and drops a user without an address.
 * Source: zapo `profile.ts` (2026-08-19). No user, `out` and an error mean that nobody has the name; no address, that a key is required.
 */
export const askUsername = async (
  sock: Pick<Queries, 'query' | 'nextId'>,
  username: string,
  key: string | null,
): Promise<AccountOfUsername> => {
  const contact = node('contact', { username, ...(key !== null && { pin: key }) });
  const protocols = [node('contact', { addressing_mode: 'lid' }), node('business', {}, [node('verified_name', {})])];
  const about = { sid: sock.nextId(), mode: 'query', context: 'interactive', last: 'true', index: '0' };
  const usync = node('usync', about, [node('query', {}, protocols), node('list', {}, [node('user', {}, [contact])])]);
  const answer = await sock.query({
    tag: 'iq',
    attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'usync' },
    content: [usync],
  });
  const list = getBinaryNodeChild(getBinaryNodeChild(answer, 'usync'), 'list');
  const user = getBinaryNodeChild(list, 'user');
  const told = getBinaryNodeChild(user, 'contact');
  if (user === undefined || told === undefined || told.attrs['type'] === 'out') return nobody;
  if (getBinaryNodeChild(told, 'error') !== undefined) return nobody;
  const { jid, pn_jid: phone } = user.attrs;
  if (jid === undefined) return { ...nobody, exists: true, keyRequired: true };
  if (!isLidUser(jid)) return nobody;
  const pn = phone ?? getBinaryNodeChild(user, 'business')?.attrs['pn_jid'];
  const own = usernameIn(told.attrs['username']);
  return { exists: true, keyRequired: false, lid: jid, phone: pn && isPnUser(pn) ? pn : null, username: own };
};

/** `since`: the time of the last mark, in seconds. */
export const markClean = (sock: Pick<Socket, 'nextId' | 'sendNode'>, type: string, since?: number): Promise<void> => {
  const timestamp: Record<string, string> = since === undefined ? {} : { timestamp: String(since) };
  return sock.sendNode({
    tag: 'iq',
    attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'urn:xmpp:whatsapp:dirty', id: sock.nextId() },
    content: [{ tag: 'clean', attrs: { type, ...timestamp } }],
  });
};
