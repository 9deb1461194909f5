/** Whether somebody in a chat is online, writing or recording, as far as the settings of the device follow it. */
import { useEffect, useState } from 'react';
import { useEvents } from '../../account/account.tsx';
import type { Person } from '../../api/message.ts';
import type { HandsetEvent } from '../../api/types.ts';

export type PresenceState = 'online' | 'offline' | 'text' | 'voice' | 'none';

export interface Presence {
  readonly chat: string;
  readonly person: Person;
  readonly state: PresenceState;
  readonly lastSeenAt: string | null;
}

/** The network does not always tell that somebody has stopped writing. */
const writingMs = 30_000;

const presenceIn = ({ type, data }: HandsetEvent): Presence | null =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the event data as defined by the API
  type === 'chat.presence' ? (data as unknown as Presence) : null;

/** The newest of a chat; null as long as none is known. */
export const usePresence = (deviceId: number, chat: string | null): Presence | null => {
  const [presence, setPresence] = useState<Presence | null>(null);
  useEvents(deviceId, (event) => {
    const told = presenceIn(event);
    if (told !== null && told.chat === chat) setPresence(told);
  });
  const state = presence?.state;
  useEffect(() => {
    if (state !== 'text' && state !== 'voice') return;
    const timer = setTimeout(() => setPresence((old) => old && { ...old, state: 'none' }), writingMs);
    return () => clearTimeout(timer);
  }, [state]);
  return presence?.chat === chat ? presence : null;
};
