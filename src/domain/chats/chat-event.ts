/** Events of chats: changed settings, and what was cleared or deleted (docs/spec/events.md, Event kinds). */
import type { Jid } from '../jid.ts';

export type MutedUntil = number | 'always' | null;

export interface ChatSettings {
  readonly archived: boolean;
  readonly pinned: boolean;
  readonly mutedUntil: MutedUntil;
  readonly unread: number;
  readonly expiresInSeconds: number | null;
  readonly labels: readonly string[];
}

interface OfChat {
  readonly chat: Jid;
  readonly chatNumber: string | null;
  readonly chatLid: Jid | null;
}

export type ChatEvent =
  /** `change` contains the changed fields with their new values. */
  | { readonly type: 'chat.updated'; readonly data: OfChat & { readonly change: Partial<ChatSettings> } }
  /** `until`: ms; messages up to then are gone. */
  | {
      readonly type: 'chat.cleared';
      readonly data: OfChat & { readonly until: number; readonly starredKept: boolean };
    }
  | { readonly type: 'chat.deleted'; readonly data: OfChat & { readonly until: number } };
