/** JIDs: the addresses of the messaging network. */

/** `<digits>@s.whatsapp.net`, `<digits>@lid` or `<id>@g.us`, without a device part. */
export type Jid = string;

export type JidKind = 'phone' | 'lid' | 'group' | 'other';

export const jidKind = (jid: Jid): JidKind => {
  if (jid.endsWith('@s.whatsapp.net')) return 'phone';
  if (jid.endsWith('@lid')) return 'lid';
  if (jid.endsWith('@g.us')) return 'group';
  return 'other';
};

const endOfUser = /[@:_]/;

/** The part before `@`, without device and agent. */
export const jidUser = (jid: Jid): string => {
  const end = jid.search(endOfUser);
  return end === -1 ? jid : jid.slice(0, end);
};

/** Drops a device part: `123:4@lid` becomes `123@lid`. */
export const withoutDevice = (jid: Jid): Jid => {
  const user = jidUser(jid);
  // Mostly there is none.
  if (jid[user.length] === '@' && !jid.includes('@', user.length + 1)) return jid;
  return `${user}@${jid.split('@')[1] ?? ''}`;
};

export const phoneJid = (digits: string): Jid => `${digits}@s.whatsapp.net`;
export const lidJid = (digits: string): Jid => `${digits}@lid`;

/** Both addresses of one person, as far as the network has told them. */
export interface Addresses {
  readonly phone: Jid | null;
  readonly lid: Jid | null;
}
