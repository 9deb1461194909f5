/** Contacts and their changes (docs/spec/chats.md). */
import type { Jid } from '../jid.ts';

/** Per request, and per device and day: bulk look-ups get accounts restricted. */
export const maxNumbers = 20;
export const maxNewNumbers = 200;

export interface Contact {
  readonly jid: Jid;
  readonly number: string | null;
  readonly lid: Jid | null;
  readonly username: string | null;
  readonly name: string | null;
  readonly pushName: string | null;
  readonly businessName: string | null;
  readonly about: string | null;
  readonly blocked: boolean;
  readonly picture: string | null;
}

export interface ContactEvent {
  readonly type: 'contact.updated';
  readonly data: Pick<Contact, 'jid' | 'number' | 'lid'> & {
    readonly change: Partial<Omit<Contact, 'jid' | 'number' | 'lid'>>;
  };
}

/** Absent fields stay. `SessionChanges.appState` changes the name. */
export interface ContactChange {
  readonly jid: Jid;
  readonly lid?: Jid | null;
  readonly pushName?: string | null;
  readonly businessName?: string | null;
  readonly about?: string | null;
  readonly picture?: string | null;
  readonly blocked?: boolean;
}

/** `numbers`: accounts of numbers; `people`: about texts and pictures. Limited (docs/spec/conversation.md, Look-ups). */
export type LookUpKind = 'numbers' | 'people';

export interface LookUpStore {
  take(
    deviceId: number,
    kind: LookUpKind,
    request: { readonly count: number; readonly max: number; readonly now: number },
  ): Promise<boolean>;
}
