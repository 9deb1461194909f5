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

/** The part before `@`, without device and agent. */
export const jidUser = (jid: Jid): string => (jid.split('@')[0] ?? '').split(':')[0]!.split('_')[0]!;

/** Drops a device part: `123:4@lid` becomes `123@lid`. */
export const withoutDevice = (jid: Jid): Jid => `${jidUser(jid)}@${jid.split('@')[1] ?? ''}`;

export const phoneJid = (digits: string): Jid => `${digits}@s.whatsapp.net`;
export const lidJid = (digits: string): Jid => `${digits}@lid`;

/** Both addresses of one person, as far as the network has told them. */
export interface Addresses {
  readonly phone: Jid | null;
  readonly lid: Jid | null;
}
