/** People: accounts of numbers, and who is blocked. */
import { type Jid, jidKind, jidUser } from '../../domain/jid.ts';
import type { FoundAccount } from '../../domain/chats/conversation.ts';
import { invalidRequest } from '../../errors.ts';
import { type BinaryNode, S_WHATSAPP_NET } from '../engine/nodes.ts';
import type { Session } from '../session.ts';
import { askAll, knownAccounts, registered } from '../identity/look-up.ts';
import { asked } from '../engine/asked.ts';

const foundOf = async ({ lidMapping }: Session, number: string, jid: Jid | null): Promise<FoundAccount> => {
  const lid = jid === null ? null : (lidMapping.find(jid) ?? (await lidMapping.addressesOf(jid))).lid;
  return { number, exists: jid !== null, jid, lid };
};

/** Those of the numbers whose answer is known. */
export const knownNumbers = async (link: Session, numbers: readonly string[]): Promise<readonly FoundAccount[]> => {
  const known = await knownAccounts(link, numbers);
  return Promise.all([...known].map(([number, jid]) => foundOf(link, number, jid)));
};

export const lookUpNumbers = async (link: Session, numbers: readonly string[]): Promise<readonly FoundAccount[]> => {
  const found = await asked(link.deviceId, {}, () => askAll(link, numbers));
  return Promise.all([...found].map(([number, jid]) => foundOf(link, number, jid)));
};

/** The JID under which the network has a person. */
export const registeredPerson = (link: Session, person: Jid): Promise<Jid> =>
  asked(link.deviceId, {}, () => registered(link, person));

/**
 * The list names people by LID. One who is blocked has one more name beside it: the number, else the name that they show, else the mark that there is
 * neither (zapo `privacy.ts`, after WhatsApp Web, 2026-08; Baileys rc14 refuses people without a number).
 */
const nameOfBlocked = (phone: Jid | null, shownName: string | null): Readonly<Record<string, string>> => {
  if (phone !== null) return { pn_jid: phone };
  return shownName === null ? { unknown_identifier: 'true' } : { display_name: shownName };
};

export const setBlocked = async (
  link: Session,
  given: Jid,
  blocked: boolean,
  shownName: string | null = null,
): Promise<void> => {
  const { sock, deviceId, lidMapping, store } = link;
  const jid = await registeredPerson(link, given);
  let { phone, lid } = await lidMapping.addressesOf(jid);
  if (phone !== null && lid === null) lid = await asked(deviceId, {}, () => lidMapping.getLIDForPN(phone!));
  if (jidKind(jid) === 'phone') phone ??= jid;
  if (lid === null) throw invalidRequest(`person has no account on the network: ${jidUser(jid)}`);
  const attrs = blocked
    ? { action: 'block', jid: lid, ...nameOfBlocked(phone, shownName) }
    : { action: 'unblock', jid: lid };
  const item: BinaryNode = { tag: 'item', attrs };
  await asked(deviceId, { 404: `person has no account on the network: ${jidUser(jid)}` }, () =>
    sock.query({ tag: 'iq', attrs: { xmlns: 'blocklist', to: S_WHATSAPP_NET, type: 'set' }, content: [item] }),
  );
  await store.commit(deviceId, { contacts: [{ jid: phone ?? lid, lid, blocked }] });
};
