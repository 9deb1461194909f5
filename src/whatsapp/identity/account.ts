/** The linked account, out of Baileys' credentials, and the facts that the network tells about it once. */
import type { AuthenticationCreds, WASocket } from '../engine/types.ts';
import { jidUser } from '../../domain/jid.ts';
import type { Account } from '../../domain/sessions/state.ts';
import { type Me, plainJid } from './people.ts';

/** Linked: the network has confirmed the pairing. A pairing code that was asked for leaves `me` without an account. */
export const isLinked = (creds: AuthenticationCreds): boolean =>
  creds.account !== undefined && creds.account !== null && creds.me !== undefined;

/** Accounts by the engine's own object, which is replaced when something of it changes. */
const known = new WeakMap<object, Me>();

/** Throws when no account is linked. */
export const meOf = ({ me }: AuthenticationCreds): Me => {
  if (me === undefined) throw new Error('No account is linked');
  let found = known.get(me);
  if (found === undefined) {
    found = { phone: plainJid(me.id), lid: me.lid ? plainJid(me.lid) : null };
    known.set(me, found);
  }
  return found;
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

/**
 * Facts that the network tells once about the linked account and that Baileys does not keep. They are stored inside the
 * credentials (`additionalData`), so they are encrypted at rest, survive a restart, and are gone with the link.
 */
export interface AccountFacts {
  /** True once the account's 1:1 chats use LIDs, false where the network said otherwise, absent where it said nothing. */
  readonly lidMigrated?: boolean | undefined;
  /** Key of the account's `cstoken`s (docs/real-network.md, Sending). */
  readonly nctSalt?: Uint8Array | undefined;
  /** Switches of the network, with the hash of all of them: with it the network tells only what has changed since (`properties.ts`). */
  readonly properties?: { readonly hash: string; readonly values: Readonly<Record<string, boolean>> };
  /** True once every collection of the application state was read from its beginning, and kept (`app-state/`). */
  readonly appStateKept?: boolean;
}

const member = 'handset';

export const factsOf = ({ additionalData }: AuthenticationCreds): AccountFacts => {
  const facts: AccountFacts | null | undefined = additionalData?.[member];
  return facts ?? {};
};

/** Merges `facts` into those known, for the next write of the credentials; an undefined member is forgotten. */
export const setFacts = (creds: AuthenticationCreds, facts: AccountFacts): void => {
  creds.additionalData = { ...creds.additionalData, [member]: { ...factsOf(creds), ...facts } };
};

/** As `setFacts`; the credentials are written by the listener of `creds.update`. */
export const keepFacts = (sock: Pick<WASocket, 'ev'>, creds: AuthenticationCreds, facts: AccountFacts): void => {
  setFacts(creds, facts);
  sock.ev.emit('creds.update', { additionalData: creds.additionalData });
};
