/** A person in an answer of the service, and how commands name them. */

export interface Person {
  readonly jid: string;
  readonly number: string | null;
}

export const nameOf = ({ number, jid }: Person): string => number ?? jid;
