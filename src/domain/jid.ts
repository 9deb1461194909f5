/** JIDs, the addresses of the network, and the recipient of a send: a JID or a phone number. */
import { invalidRequest } from '../errors.ts';

export type Jid = string;

export type JidKind = 'phone' | 'lid' | 'group' | 'other';

export const jidKind = (jid: Jid): JidKind => {
  if (jid.endsWith('@s.whatsapp.net')) return 'phone';
  if (jid.endsWith('@lid')) return 'lid';
  if (jid.endsWith('@g.us')) return 'group';
  return 'other';
};

const endOfUser = /[@:_]/;

export const jidUser = (jid: Jid): string => {
  const end = jid.search(endOfUser);
  return end === -1 ? jid : jid.slice(0, end);
};

export const withoutDevice = (jid: Jid): Jid => {
  const user = jidUser(jid);
  if (jid[user.length] === '@' && !jid.includes('@', user.length + 1)) return jid;
  return `${user}@${jid.split('@')[1] ?? ''}`;
};

export const phoneJid = (digits: string): Jid => `${digits}@s.whatsapp.net`;
export const lidJid = (digits: string): Jid => `${digits}@lid`;

const maxChannelJid = 64;

export const isChannelJid = (text: string): boolean =>
  text.length <= maxChannelJid && /^\d{5,25}@newsletter$/.test(text);

export interface Addresses {
  readonly phone: Jid | null;
  readonly lid: Jid | null;
}

export type Recipient =
  | { readonly kind: 'number'; readonly number: string; readonly jid: Jid }
  | { readonly kind: 'phone' | 'lid' | 'group'; readonly jid: Jid };

export const numberRule = '8 to 15 digits with the country code, without +, spaces or signs: 4915550002222';

export const numbersRule = `must be 1 to 20 phone numbers, separated by commas, each ${numberRule}`;

const number = /^\d{8,15}$/;

/** Exactly one must be given (docs/spec/messages.md, Recipient). Throws InvalidRequest that names the members and the rule. */
export const parseRecipient = (to: string | undefined, toNumber: string | undefined): Recipient => {
  if ((to === undefined) === (toNumber === undefined)) {
    throw invalidRequest(
      to === undefined
        ? 'Exactly one of to, toNumber and toUsername must be given; all are missing'
        : 'Exactly one of to, toNumber and toUsername must be given, not more',
    );
  }
  if (toNumber !== undefined) {
    if (!number.test(toNumber)) throw invalidRequest(`toNumber must be ${numberRule}`);
    if (toNumber.startsWith('0')) throw invalidRequest('toNumber must begin with the country code, not with 0');
    return { kind: 'number', number: toNumber, jid: phoneJid(toNumber) };
  }
  const jid = to!;
  if (/^\d{5,20}@s\.whatsapp\.net$/.test(jid)) return { kind: 'phone', jid };
  if (/^\d{5,20}@lid$/.test(jid)) return { kind: 'lid', jid };
  if (/^\d{5,25}(-\d{5,20})?@g\.us$/.test(jid)) return { kind: 'group', jid };
  const isNumber = !jid.includes('@');
  // WAHA and whatsapp-web.js write people so.
  const isOldForm = jid.endsWith('@c.us');
  throw invalidRequest(
    `to must be a JID: <digits>@s.whatsapp.net, <digits>@lid or <id>@g.us${isNumber ? '; a phone number is given as toNumber' : ''}${isOldForm ? '; in place of @c.us write @s.whatsapp.net' : ''}`,
  );
};
