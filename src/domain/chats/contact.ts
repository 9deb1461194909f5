/** Contacts and their changes (docs/spec/chats.md). */
import type { Jid } from '../jid.ts';

export interface Contact {
  /** The phone JID if known, else the LID. */
  readonly jid: Jid;
  readonly number: string | null;
  readonly lid: Jid | null;
  readonly name: string | null;
  readonly pushName: string | null;
  readonly businessName: string | null;
  readonly about: string | null;
  readonly blocked: boolean;
  /** Id of the profile picture; null if there is none or it is unknown. */
  readonly picture: string | null;
}

/** `change` contains the changed fields with their new values. */
export interface ContactEvent {
  readonly type: 'contact.updated';
  readonly data: Pick<Contact, 'jid' | 'number' | 'lid'> & {
    readonly change: Partial<Omit<Contact, 'jid' | 'number' | 'lid'>>;
  };
}

/** A change of a contact; absent fields stay. `SessionChanges.appState` changes the name. */
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
