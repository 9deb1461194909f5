/** Marks the chat on display as read, as its owner would by opening it. */
import { useEffect } from 'react';
import { useAccount } from '../../account.tsx';
import type { Device } from '../../api/types.ts';
import { useLatest } from '../../hooks.ts';
import type { Conversation } from '../conversations.ts';

/** At most one request in this time, since each counts against the rate limit. */
const pauseMs = 3000;

export const useReadMarks = (
  device: Device,
  conversation: Conversation | null,
  setRead: (chat: string) => void,
): void => {
  const { client } = useAccount();
  const { chat = null, unread = 0, isKnown = false } = conversation ?? {};
  const wanted = chat !== null && isKnown && unread > 0 && device.status === 'connected';
  const mark = useLatest(() => {
    if (!wanted || document.visibilityState !== 'visible') return;
    client.post(`/v1/devices/${device.id}/chats/${encodeURIComponent(chat)}/read`, {}).then(
      () => setRead(chat),
      // The chat stays unread; nothing that its reader could do about it.
      () => undefined,
    );
  });
  // At once for a chat that is opened; what arrives while it is open waits a moment for more.
  useEffect(() => {
    mark();
  }, [mark, chat]);
  useEffect(() => {
    if (!wanted) return;
    const timer = setTimeout(mark, pauseMs);
    document.addEventListener('visibilitychange', mark);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', mark);
    };
  }, [wanted, mark]);
};
