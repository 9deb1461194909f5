/** Changes a message through the service. The event that follows updates the page. */
import { useState } from 'react';
import { useAccount } from '../../account/account.tsx';
import { type Client, messageOf } from '../../api/client.ts';
import type { Message } from '../../api/message.ts';
import { useShown } from '../shown/shown.ts';

/** `what`: a path below the message, with its slash. */
export const pathOf = (deviceId: number, { id, chat }: Message, what = ''): string =>
  `/v1/devices/${deviceId}/messages/${encodeURIComponent(id)}${what}?chat=${encodeURIComponent(chat)}`;

export interface Change {
  readonly error: string | null;
  readonly busy: boolean;
  readonly run: (change: (client: Client, pathTo: (what?: string) => string) => Promise<unknown>) => Promise<void>;
  readonly dismiss: () => void;
}

export const useChange = (message: Message): Change => {
  const { client } = useAccount();
  const { device } = useShown();
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  return {
    error,
    busy,
    dismiss: () => setError(null),
    async run(change) {
      setBusy(true);
      setError(null);
      try {
        await change(client, (what) => pathOf(device.id, message, what));
      } catch (failure) {
        setError(messageOf(failure));
      } finally {
        setBusy(false);
      }
    },
  };
};
