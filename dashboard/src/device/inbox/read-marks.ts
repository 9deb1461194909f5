/** Marks the open chat as read, as its owner would by opening it. */
import { useEffect, useState } from 'react';
import { useAccount, useMay } from '../../account/account.tsx';
import type { Device } from '../../api/types.ts';
import { useLatest } from '../../api/hooks.ts';
import type { Conversation } from '../shown/conversations.ts';

/** At most one request in this time, since each counts against the rate limit. */
const pauseMs = 3000;

/**
 * Whether the user has done anything on the page since it opened. A page whose address names a chat shows it by itself, which tells nobody that
 * the message was read.
 */
const useAttention = (): boolean => {
  const [attended, attend] = useState(false);
  useEffect(() => {
    const signs = ['pointerdown', 'keydown', 'wheel'];
    const seen = (): void => attend(true);
    for (const sign of signs) document.addEventListener(sign, seen, { once: true, passive: true });
    return () => {
      for (const sign of signs) document.removeEventListener(sign, seen);
    };
  }, []);
  return attended;
};

export const useReadMarks = (
  device: Device,
  conversation: Conversation | null,
  setRead: (chat: string) => void,
): void => {
  const { client } = useAccount();
  const may = useMay();
  const { chat = null, unread = 0, isKnown = false } = conversation ?? {};
  const attended = useAttention();
  const wanted = attended && may('send') && chat !== null && isKnown && unread > 0 && device.status === 'connected';
  const mark = useLatest(() => {
    if (!wanted || document.visibilityState !== 'visible') return;
    client.post(`/v1/devices/${device.id}/chats/${encodeURIComponent(chat)}/read`, {}).then(
      () => setRead(chat),
      // The chat stays unread; the user cannot do anything about it.
      () => undefined,
    );
  });
  // Immediately when a chat is opened, and after a pause for messages that arrive while it is open.
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
