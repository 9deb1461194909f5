/** Accounts of numbers, and the block list. */
import { type Jid, jidKind, jidUser } from '../../domain/jid.ts';
import type { FoundAccount } from '../../domain/chats/conversation.ts';
import { invalidRequest } from '../../errors.ts';
import { type BinaryNode, S_WHATSAPP_NET } from '../library/nodes.ts';
import type { Session } from '../session.ts';
import { askAll, knownAccounts, registered } from '../identity/look-up.ts';
import { asked } from '../socket/query.ts';

const foundOf = async ({ lidMapping }: Session, number: string, jid: Jid | null): Promise<FoundAccount> => {
  const lid = jid === null ? null : (lidMapping.find(jid) ?? (await lidMapping.addressesOf(jid))).lid;
  return { number, exists: jid !== null, jid, lid };
};

export const knownNumbers = async (session: Session, numbers: readonly string[]): Promise<readonly FoundAccount[]> => {
  const known = await knownAccounts(session, numbers);
  return Promise.all([...known].map(([number, jid]) => foundOf(session, number, jid)));
};

export const lookUpNumbers = async (session: Session, numbers: readonly string[]): Promise<readonly FoundAccount[]> => {
  const found = await asked(session.deviceId, {}, () => askAll(session, numbers));
  return Promise.all([...found].map(([number, jid]) => foundOf(session, number, jid)));
};

export const registeredPerson = (session: Session, person: Jid): Promise<Jid> =>
  asked(session.deviceId, {}, () => registered(session, person));

/**
 * Names people by LID; blocking adds the number, else the username, else the name they show, else a mark (zapo `privacy.ts`, after
 * WhatsApp Web, 2026-08).
 */
const nameOfBlocked = (
  phone: Jid | null,
  username: string | undefined,
  shownName: string | null,
): Readonly<Record<string, string>> => {
  if (phone !== null) return { pn_jid: phone };
  if (username !== undefined) return { username };
  return shownName === null ? { unknown_identifier: 'true' } : { display_name: shownName };
};

export const setBlocked = async (
  session: Session,
  given: Jid,
  blocked: boolean,
  shownName: string | null = null,
): Promise<void> => {
  const { sock, deviceId, lidMapping, store } = session;
  const jid = await registeredPerson(session, given);
  let { phone, lid, username } = await lidMapping.addressesOf(jid);
  if (phone !== null && lid === null) lid = await asked(deviceId, {}, () => lidMapping.getLIDForPN(phone!));
  if (jidKind(jid) === 'phone') phone ??= jid;
  if (lid === null) throw invalidRequest(`person has no account on the network: ${jidUser(jid)}`);
  const attrs = blocked
    ? { action: 'block', jid: lid, ...nameOfBlocked(phone, username, shownName) }
    : { action: 'unblock', jid: lid };
  const item: BinaryNode = { tag: 'item', attrs };
  await asked(deviceId, { 404: `person has no account on the network: ${jidUser(jid)}` }, () =>
    sock.query({ tag: 'iq', attrs: { xmlns: 'blocklist', to: S_WHATSAPP_NET, type: 'set' }, content: [item] }),
  );
  await store.commit(deviceId, { contacts: [{ jid: phone ?? lid, lid, blocked }] });
};
