/** The linked account, out of Baileys' credentials. */
import type { AuthenticationCreds } from '../engine/types.ts';
import { jidUser } from '../../domain/jid.ts';
import type { Account } from '../../domain/session-state.ts';
import { type Me, plainJid } from '../translate/people.ts';

/** Linked: the network has confirmed the pairing. A pairing code that was asked for leaves `me` without an account. */
export const isLinked = (creds: AuthenticationCreds): boolean =>
  creds.account !== undefined && creds.account !== null && creds.me !== undefined;

/** As it was made out last, and of what: it is asked for with every stanza. */
const madeOut = new WeakMap<
  AuthenticationCreds,
  { readonly id: string; readonly lid: string | undefined; readonly me: Me }
>();

/** Throws where nothing is linked. */
export const meOf = (creds: AuthenticationCreds): Me => {
  if (creds.me === undefined) throw new Error('No account is linked');
  const { id, lid } = creds.me;
  const known = madeOut.get(creds);
  if (known !== undefined && known.id === id && known.lid === lid) return known.me;
  const me = { phone: plainJid(id), lid: lid ? plainJid(lid) : null };
  madeOut.set(creds, { id, lid, me });
  return me;
};

export const accountOf = (creds: AuthenticationCreds): Account => {
  const { phone, lid } = meOf(creds);
  return {
    jid: phone,
    lid,
    phoneNumber: jidUser(phone),
    // Baileys writes "~" while it knows no name.
    name: creds.me?.name && creds.me.name !== '~' ? creds.me.name : null,
    platform: creds.platform ?? null,
  };
};
