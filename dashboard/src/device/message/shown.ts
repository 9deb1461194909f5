/** The conversation on display, for the parts of its messages. */
import { createContext, useContext } from 'react';
import type { Message } from '../../api/message.ts';
import type { Device } from '../../api/types.ts';
import type { NameOf } from './people.ts';

export interface Shown {
  readonly device: Device;
  readonly nameOf: NameOf;
  /** A message of the conversation, if it is loaded. */
  readonly find: (messageId: string) => Message | undefined;
  /** Scrolls to a message and focuses it. */
  readonly goTo: (messageId: string) => void;
}

export const ShownContext = createContext<Shown | null>(null);

export const useShown = (): Shown => {
  const shown = useContext(ShownContext);
  if (shown === null) throw new Error('there is no conversation');
  return shown;
};
