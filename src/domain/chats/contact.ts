/** Changes of contacts (the people whom the account knows), written with what tells of them (docs/spec/chats.md). */
import type { Jid } from '../jid.ts';

/** A change of a contact; what is absent stays. `SessionChanges.appState` changes the name by itself. */
export interface ContactChange {
  /** Either address of the person. */
  readonly jid: Jid;
  readonly lid?: Jid | null;
  readonly pushName?: string | null;
  readonly businessName?: string | null;
  readonly about?: string | null;
  readonly picture?: string | null;
  readonly blocked?: boolean;
}
