/** A session's memo in the form in which the database keeps it: nodes of version 0.1 read it, too. */
import type { SessionMemo } from '../../domain/lease.ts';
import type { Session } from '../../domain/sessions/session.ts';

export interface StoredMemo extends Omit<SessionMemo, 'session'> {
  readonly life: Omit<Session, 'state'> & { readonly session: Session['state'] };
}

export const toStored = ({ session: { state, ...rest }, ...memo }: SessionMemo): StoredMemo => ({
  ...memo,
  life: { ...rest, session: state },
});

export const fromStored = ({ life: { session, ...rest }, ...memo }: StoredMemo): SessionMemo => ({
  ...memo,
  session: { ...rest, state: session },
});
