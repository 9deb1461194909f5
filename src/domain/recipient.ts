/** The recipient of a send: parsed once, at the edge (docs/spec/messages.md, Recipient). */
import { invalidRequest } from '../errors.ts';
import { type Jid, phoneJid } from './jid.ts';

export type Recipient =
  | { readonly kind: 'number'; readonly number: string; readonly jid: Jid }
  | { readonly kind: 'phone' | 'lid' | 'group'; readonly jid: Jid };

const numberRule = /^\d{8,15}$/;

/** Parses `to` / `toNumber`, of which exactly one must be given. Throws InvalidRequest naming the members and the rule. */
export const parseRecipient = (to: string | undefined, toNumber: string | undefined): Recipient => {
  if ((to === undefined) === (toNumber === undefined)) {
    throw invalidRequest(
      to === undefined
        ? 'Exactly one of to and toNumber must be given; both are missing'
        : 'Exactly one of to and toNumber must be given, not both',
    );
  }
  if (toNumber !== undefined) {
    if (!numberRule.test(toNumber)) throw invalidRequest('toNumber must be 8 to 15 digits, country code included');
    return { kind: 'number', number: toNumber, jid: phoneJid(toNumber) };
  }
  const jid = to!;
  if (/^\d{5,20}@s\.whatsapp\.net$/.test(jid)) return { kind: 'phone', jid };
  if (/^\d{5,20}@lid$/.test(jid)) return { kind: 'lid', jid };
  if (/^\d{5,25}(-\d{5,20})?@g\.us$/.test(jid)) return { kind: 'group', jid };
  throw invalidRequest('to must be a JID: <digits>@s.whatsapp.net, <digits>@lid or <id>@g.us');
};
