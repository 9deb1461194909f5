/** Queries about accounts: LIDs of numbers, devices of accounts, accounts of numbers. All throw if the network does not answer. */
import type { BinaryNode } from './nodes.ts';
import type { WASocket } from './types.ts';
import { type USyncQueryResult, USyncQuery, type USyncQueryResultList, USyncUser } from './baileys.ts';
import type { Jid } from '../../domain/jid.ts';

type Asking = Pick<WASocket, 'executeUSyncQuery'>;

/** The network refused a query, or it timed out. */
export class Unanswered extends Error {}

const answered = async (sock: Asking, query: USyncQuery, what: string): Promise<readonly USyncQueryResultList[]> => {
  // The engine resolves with nothing on a refusal or timeout, which is not an empty answer.
  const answer: USyncQueryResult | undefined = await sock.executeUSyncQuery(query);
  if (answer === undefined) throw new Unanswered(`the network did not answer ${what}`);
  return answer.list;
};

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

export interface LidOfNumber {
  readonly pn: Jid;
  readonly lid: Jid;
}

/** LIDs of those phone JIDs that have one. */
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
  /** The requested number in digits, which may differ from that of the JID. Null if the answer does not repeat it. */
  readonly asked: string | null;
  readonly jid: Jid;
  readonly lid: Jid | null;
}

/** Accounts of numbers in digits, with their LIDs. */
export const askAccounts = async (sock: Asking, numbers: readonly string[]): Promise<AccountOfNumber[]> => {
  const query = new USyncQuery().withContactProtocol().withLIDProtocol();
  for (const number of numbers) query.withUser(new USyncUser().withPhone(`+${number}`));
  // The engine reads only whether there is one; the number is in the content (whatsmeow user.go IsOnWhatsApp, 2026-08-21).
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

/** Longest number accepted in an answer. */
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

/** Devices of accounts, by the JIDs of the answer. */
export const askDevices = async (
  sock: Asking,
  jids: readonly Jid[],
): Promise<ReadonlyMap<Jid, readonly ListedDevice[]>> => {
  const query = new USyncQuery().withContext('message').withDeviceProtocol();
  for (const jid of jids) query.withUser(new USyncUser().withId(jid));
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
