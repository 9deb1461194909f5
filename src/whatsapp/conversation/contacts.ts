/** People: accounts of numbers, and who is blocked. */
import { type Jid, jidKind, jidUser } from '../../domain/jid.ts';
import type { FoundAccount } from '../../domain/chats/conversation.ts';
import { invalidRequest } from '../../errors.ts';
import type { Link } from '../login/link.ts';
import { askAll, knownAccounts, registered } from '../identity/look-up.ts';
import { asked } from './asked.ts';

const foundOf = async ({ lidMapping }: Link, number: string, jid: Jid | null): Promise<FoundAccount> => {
  const lid = jid === null ? null : (lidMapping.find(jid) ?? (await lidMapping.addressesOf(jid))).lid;
  return { number, exists: jid !== null, jid, lid };
};

/** Those of the numbers whose answer is known. */
export const knownNumbers = async (link: Link, numbers: readonly string[]): Promise<readonly FoundAccount[]> => {
  const known = await knownAccounts(link, numbers);
  return Promise.all([...known].map(([number, jid]) => foundOf(link, number, jid)));
};

export const lookUpNumbers = async (link: Link, numbers: readonly string[]): Promise<readonly FoundAccount[]> => {
  const found = await asked(link.deviceId, {}, () => askAll(link, numbers));
  return Promise.all([...found].map(([number, jid]) => foundOf(link, number, jid)));
};

/** The JID under which the network has a person. */
export const registeredPerson = (link: Link, person: Jid): Promise<Jid> =>
  asked(link.deviceId, {}, () => registered(link, person));

/**
 * The list names people by LID, with the number of one who is blocked (Baileys `updateBlockStatus`, rc14): where the network tells neither, nothing is
 * asked of it.
 */
export const setBlocked = async (link: Link, given: Jid, blocked: boolean): Promise<void> => {
  const { sock, deviceId, lidMapping, store } = link;
  const jid = await registeredPerson(link, given);
  let { phone, lid } = await lidMapping.addressesOf(jid);
  if (phone !== null && lid === null) lid = await asked(deviceId, {}, () => lidMapping.getLIDForPN(phone!));
  if (jidKind(jid) === 'phone') phone ??= jid;
  if (lid === null) throw invalidRequest(`person has no account on the network: ${jidUser(jid)}`);
  if (phone === null && blocked)
    throw invalidRequest('person cannot be blocked by this LID: its phone number is not known');
  await asked(deviceId, { 404: `person has no account on the network: ${jidUser(jid)}` }, () =>
    sock.updateBlockStatus(lid, blocked ? 'block' : 'unblock'),
  );
  await store.commit(deviceId, { contacts: [{ jid: phone ?? lid, lid, blocked }] });
};
