/** Application state: contact names, archive, pin and mute, which the phone shares with its companions. */
import type { Jid } from './jid.ts';
import type { KeptLabel } from './chats/label.ts';
import type { MessageRecord } from './message.ts';

export interface ContactName {
  readonly name: string | null;
  readonly firstName: string | null;
  readonly lid: Jid | null;
}

export interface AppStateValues {
  readonly contact: ContactName;
  readonly archive: { readonly archived: true };
  readonly pin: {
    readonly at: number;
  };
  readonly mute: {
    /** ms; null: never. */
    readonly until: number | null;
  };
}

export type AppStateKind = keyof AppStateValues;

/** `jid`: the person or chat as the phone addresses it (phone JID, LID or group), without a device. */
export type AppStateEntry<K extends AppStateKind = AppStateKind> = {
  readonly [Kind in K]: { readonly kind: Kind; readonly jid: Jid; readonly value: AppStateValues[Kind] };
}[K];

export type AppStateChange = {
  readonly [Kind in AppStateKind]: {
    readonly kind: Kind;
    readonly jid: Jid;
    readonly value: AppStateValues[Kind] | null;
  };
}[AppStateKind];

export type AppStateMutation =
  | { readonly kind: 'star'; readonly message: MessageRecord; readonly starred: boolean }
  | { readonly kind: 'deleteForMe'; readonly message: MessageRecord }
  | { readonly kind: 'pushName'; readonly name: string }
  | { readonly kind: 'contact'; readonly jid: Jid; readonly lid: Jid | null; readonly name: string | null }
  | LabelMutation
  | ChatMutation;

/** `newestAt`: of this label's marks on the chat or message; the change must be later. Null: none. */
export type LabelMutation =
  /** `isNew`: refused with LabelIdTaken unless the id is beyond the highest one. */
  | { readonly kind: 'label'; readonly label: KeptLabel; readonly isNew: boolean; readonly deleted: boolean }
  | {
      readonly kind: 'labelMark';
      readonly chat: Jid;
      readonly messageId: string | null;
      readonly label: string;
      readonly labeled: boolean;
      readonly newestAt: number | null;
    };

/** `newest`: the chat's newest message, up to which the change applies. */
export type ChatMutation =
  | {
      readonly kind: 'archive';
      readonly chat: Jid;
      readonly archived: boolean;
      readonly newest: MessageRecord | null;
    }
  | { readonly kind: 'read'; readonly chat: Jid; readonly read: boolean; readonly newest: MessageRecord | null }
  | { readonly kind: 'pin'; readonly chat: Jid; readonly pinned: boolean }
  | {
      readonly kind: 'clear';
      readonly chat: Jid;
      readonly keepsStarred: boolean;
      readonly newest: MessageRecord | null;
    }
  /** `until`: ms since the epoch, or `always`; null: not muted. */
  | { readonly kind: 'mute'; readonly chat: Jid; readonly until: number | 'always' | null };

export interface AppStateStore {
  list<K extends AppStateKind>(deviceId: number, kind: K): Promise<readonly AppStateEntry<K>[]>;
}
