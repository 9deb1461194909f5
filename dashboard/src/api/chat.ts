/** A chat of a device and a person that its account knows. */
import type { Message } from './message.ts';

export interface Chat {
  readonly chat: string;
  readonly chatNumber: string | null;
  readonly chatLid: string | null;
  readonly name: string | null;
  readonly isGroup: boolean;
  readonly unread: number;
  readonly lastMessage: Message | null;
  readonly archived: boolean;
  readonly pinned: boolean;
  readonly mutedUntil: string | null;
  readonly expiresInSeconds: number | null;
}

export interface Contact {
  readonly jid: string;
  readonly number: string | null;
  readonly lid: string | null;
  readonly name: string | null;
  readonly pushName: string | null;
  readonly businessName: string | null;
  readonly about: string | null;
  readonly blocked: boolean;
  /** Id of the profile picture. */
  readonly picture: string | null;
}
