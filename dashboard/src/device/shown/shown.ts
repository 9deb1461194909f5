/** The open conversation, for the parts of its messages. */
import { createContext, useContext } from 'react';
import type { Message, Person } from '../../api/message.ts';
import type { Device } from '../../api/types.ts';
import type { Entry } from '../../outbox/entry.ts';
import type { NameOf } from './people.ts';

export interface Shown {
  readonly device: Device;
  readonly nameOf: NameOf;
  /** Whether the account is an administrator of the open group. */
  readonly isAdmin: boolean;
  /** Whether it is the linked account. */
  readonly isOwn: (person: Person) => boolean;
  /** A message of the conversation, if it is loaded. */
  readonly find: (messageId: string) => Message | undefined;
  /** Scrolls to a message and focuses it. */
  readonly goTo: (messageId: string) => void;
  /** Starts a reply or an edit below the log. */
  readonly write: (subject: Subject) => void;
  /** Puts a refused message back into the form. */
  readonly correct: (entry: Entry) => void;
  /** Applies a change that no event reports. */
  readonly change: (messageId: string, change: Partial<Message>) => void;
  /** Opens the list of chats to forward a message to. */
  readonly forward: (message: Message) => void;
}

/** The earlier message that is answered or edited. */
export interface Subject {
  readonly kind: 'reply' | 'edit';
  readonly message: Message;
}

export const ShownContext = createContext<Shown | null>(null);

export const useShown = (): Shown => {
  const shown = useContext(ShownContext);
  if (shown === null) throw new Error('there is no conversation');
  return shown;
};
