/** The linked account, from Baileys' credentials, and facts that the network tells about it once. */
import type { AuthenticationCreds, WASocket } from '../engine/types.ts';
import { jidUser } from '../../domain/jid.ts';
import type { Account } from '../../domain/sessions/state.ts';
import { type Me, plainJid } from './people.ts';

/** True once the network has confirmed the pairing. A requested pairing code sets `me` without an account. */
export const isLinked = (creds: AuthenticationCreds): boolean =>
  creds.account !== undefined && creds.account !== null && creds.me !== undefined;

/** Keyed by the engine's object, which is replaced on changes. */
const known = new WeakMap<object, Me>();

/** Throws if no account is linked. */
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
 * Facts about the account that the network tells once and Baileys does not keep. Stored inside the credentials (`additionalData`), so they
 * are encrypted at rest, survive a restart, and vanish with the link.
 */
export interface AccountFacts {
  /** True once the account's 1:1 chats use LIDs, false if the network has said otherwise, absent if it has said nothing. */
  readonly lidMigrated?: boolean | undefined;
  /** Key of the account's `cstoken`s (docs/real-network.md, Sending). */
  readonly nctSalt?: Uint8Array | undefined;
  /** Switches of the network, with their hash, by which the network sends only later changes (`properties.ts`). */
  readonly properties?: { readonly hash: string; readonly values: Readonly<Record<string, boolean>> };
  /** True once every collection of the application state was read from its start and stored (`app-state/`). */
  readonly appStateKept?: boolean;
}

const member = 'handset';

export const factsOf = ({ additionalData }: AuthenticationCreds): AccountFacts => {
  const facts: AccountFacts | null | undefined = additionalData?.[member];
  return facts ?? {};
};

/** Merges `facts` for the next write of the credentials; an undefined field is removed. */
export const setFacts = (creds: AuthenticationCreds, facts: AccountFacts): void => {
  creds.additionalData = { ...creds.additionalData, [member]: { ...factsOf(creds), ...facts } };
};

/** Like `setFacts`; the listener of `creds.update` writes the credentials. */
export const keepFacts = (sock: Pick<WASocket, 'ev'>, creds: AuthenticationCreds, facts: AccountFacts): void => {
  setFacts(creds, facts);
  sock.ev.emit('creds.update', { additionalData: creds.additionalData });
};
