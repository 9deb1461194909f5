/** Application state: contact names, archive, pin and mute, which the phone shares with its companions. */
import type { Jid } from './jid.ts';
import type { MessageRecord } from './message.ts';

export interface ContactName {
  readonly name: string | null;
  readonly firstName: string | null;
  /** The contact's LID, if the phone sent it. */
  readonly lid: Jid | null;
}

/** Value by kind of entry. A chat that is not archived, pinned or muted has no such entry. */
export interface AppStateValues {
  readonly contact: ContactName;
  readonly archive: { readonly archived: true };
  readonly pin: {
    /** When it was pinned (ms). */
    readonly at: number;
  };
  readonly mute: {
    /** When it ends (ms); null: never. */
    readonly until: number | null;
  };
}

export type AppStateKind = keyof AppStateValues;

/** `jid`: the person or chat as the phone addresses it (a phone JID, a LID or a group), without a device. */
export type AppStateEntry<K extends AppStateKind = AppStateKind> = {
  readonly [Kind in K]: { readonly kind: Kind; readonly jid: Jid; readonly value: AppStateValues[Kind] };
}[K];

/** `value` null deletes the entry. */
export type AppStateChange = {
  readonly [Kind in AppStateKind]: {
    readonly kind: Kind;
    readonly jid: Jid;
    readonly value: AppStateValues[Kind] | null;
  };
}[AppStateKind];

/** A change made by this device, which the phone and the other companions apply. */
export type AppStateMutation =
  | { readonly kind: 'star'; readonly message: MessageRecord; readonly starred: boolean }
  | { readonly kind: 'deleteForMe'; readonly message: MessageRecord }
  | { readonly kind: 'pushName'; readonly name: string }
  /** A name in the address book; null removes the person from it. */
  | { readonly kind: 'contact'; readonly jid: Jid; readonly lid: Jid | null; readonly name: string | null }
  | ChatMutation;

/** `newest`: the newest message of the chat, up to which the change applies. */
export type ChatMutation =
  | {
      readonly kind: 'archive';
      readonly chat: Jid;
      readonly archived: boolean;
      readonly newest: MessageRecord | null;
    }
  | { readonly kind: 'read'; readonly chat: Jid; readonly read: boolean; readonly newest: MessageRecord | null }
  | { readonly kind: 'pin'; readonly chat: Jid; readonly pinned: boolean }
  /** `until`: ms since the epoch, or `always`; null: not muted. */
  | { readonly kind: 'mute'; readonly chat: Jid; readonly until: number | 'always' | null };

/** Application state shared by the phone with its companions; written through `SessionChanges.appState`. */
export interface AppStateStore {
  list<K extends AppStateKind>(deviceId: number, kind: K): Promise<readonly AppStateEntry<K>[]>;
}
