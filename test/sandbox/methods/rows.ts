/** Rows of the table of methods. */
import type { WAMessage, WASocket } from 'baileys';

export interface Scene {
  readonly socket: WASocket;
  /** The account's own phone JID with its device. */
  readonly me: string;
  /** LIDs of other accounts; the account has a chat with Bob alone. */
  readonly bob: string;
  readonly cyd: string;
  readonly group: string;
  /** A text of Bob's, and an image of which the file has expired. */
  readonly text: WAMessage;
  readonly image: WAMessage;
  /** A file with its hash, to be uploaded. */
  readonly file: { readonly path: string; readonly sha256: string };
  readonly picture: Buffer;
}

/**
 * - `played`: the network takes it, and something comes of it: another state of the network, or a stanza to somebody.
 * - `asked`: the network answers a question, or takes what only the client itself profits from.
 * - `refused`: the network refuses it in words.
 * - `local`: nothing leaves the client.
 */
export type Verdict = 'played' | 'asked' | 'refused' | 'local';

export type Row = readonly [Verdict, ((scene: Scene) => unknown)?];

export type Rows = Readonly<Record<string, Row>>;
