/** `chat.updated`: changed settings of a chat (docs/spec/events.md, Event kinds). */
import type { Jid } from '../jid.ts';

/** As shown to callers. `unread`: set when the chat was read or marked as unread. */
export interface ChatSettings {
  readonly archived: boolean;
  readonly pinned: boolean;
  /** RFC 3339, or `always`; null: not muted. */
  readonly mutedUntil: string | null;
  readonly unread: number;
  readonly expiresInSeconds: number | null;
}

/** `change` contains the changed fields with their new values. */
export interface ChatEvent {
  readonly type: 'chat.updated';
  readonly data: {
    readonly chat: Jid;
    readonly chatNumber: string | null;
    readonly chatLid: Jid | null;
    readonly change: Partial<ChatSettings>;
  };
}
