/** The linked account, from the credentials, and facts that the network tells about it once. */
import type { AuthenticationCreds } from '../library/types.ts';
import type { Socket } from '../socket/socket.ts';
import { jidUser } from '../../domain/jid.ts';
import type { Account } from '../../domain/sessions/state.ts';
import { meOf } from './people.ts';

export const isLinked = (creds: AuthenticationCreds): boolean =>
  creds.account !== undefined && creds.account !== null && creds.me !== undefined;

export const accountOf = (creds: AuthenticationCreds): Account => {
  const { phone, lid } = meOf(creds);
  return {
    jid: phone,
    lid,
    phoneNumber: jidUser(phone),
    // "~" while the name is unknown.
    name: creds.me?.name && creds.me.name !== '~' ? creds.me.name : null,
    platform: creds.platform ?? null,
  };
};

/** Reported once by the network: stored inside the credentials (`additionalData`), and deleted with the link. */
export interface AccountFacts {
  /** The account's 1:1 chats use LIDs; absent if the network has not said. */
  readonly lidMigrated?: boolean | undefined;
  readonly nctSalt?: Uint8Array | undefined;
  /** AB properties with their hash, by which the network sends only later changes (`properties.ts`). */
  readonly properties?: { readonly hash: string; readonly values: Readonly<Record<string, boolean>> };
  /** Every app state collection was read from its start and stored (`app-state/`). */
  readonly appStateKept?: boolean | undefined;
  /** The collection of labels was read from its start and stored. */
  readonly labelsKept?: boolean | undefined;
}

const member = 'handset';

export const factsOf = ({ additionalData }: AuthenticationCreds): AccountFacts => {
  const facts: AccountFacts | null | undefined = additionalData?.[member];
  return facts ?? {};
};

export const setFacts = (creds: AuthenticationCreds, facts: AccountFacts): void => {
  creds.additionalData = { ...creds.additionalData, [member]: { ...factsOf(creds), ...facts } };
};

/** Like `setFacts`; the listener of `credentials` writes them. */
export const keepFacts = (sock: Pick<Socket, 'update'>, creds: AuthenticationCreds, facts: AccountFacts): void => {
  setFacts(creds, facts);
  sock.update({ additionalData: creds.additionalData });
};
