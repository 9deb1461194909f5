/** Contacts: the people whom the account knows, and the changes that are written with what tells of them (docs/spec/chats.md). */
import type { Jid } from '../jid.ts';

export interface Contact {
  /** The phone JID when it is known, else the LID. */
  readonly jid: Jid;
  readonly number: string | null;
  readonly lid: Jid | null;
  /** As the account's address book has it. */
  readonly name: string | null;
  /** As the person shows it. */
  readonly pushName: string | null;
  readonly businessName: string | null;
  readonly about: string | null;
  readonly blocked: boolean;
  /** Id of the profile picture; null where there is none, or none is known. */
  readonly picture: string | null;
}

/** `change`: the members that have changed, as they are now. */
export interface ContactEvent {
  readonly type: 'contact.updated';
  readonly data: Pick<Contact, 'jid' | 'number' | 'lid'> & {
    readonly change: Partial<Omit<Contact, 'jid' | 'number' | 'lid'>>;
  };
}

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
