/** Messages older than the log: requested from the phone, which answers with an event. */
import { useEffect, useState } from 'react';
import { useAccount, useEvents } from '../../account/account.tsx';
import type { Device } from '../../api/types.ts';
import { messageOf } from '../../api/client.ts';
import { texts } from '../../base/texts.ts';
import { Failure } from '../../ui/attempt.tsx';
import { type Conversation, isWith } from '../shown/conversations.ts';
import type { Messages } from './messages.ts';

const words = texts.inbox.history;

/** `off`: the phone did not answer in time; `end`: it has nothing older; `failed`: why the request failed. */
type State = 'idle' | 'asked' | 'off' | 'end' | { readonly failed: string };

const count = 50;
/** The service waits a minute for the phone, and its event can be missed. */
const maxMs = 75_000;

export interface FromPhone {
  readonly state: State;
  readonly ask: () => void;
  /** Takes the failure off the page. */
  readonly dismiss: () => void;
}

/** Null while the log itself has older messages, or without a chat. */
export const useFromPhone = (
  device: Device,
  conversation: Conversation | null,
  { state: loading, older, messages, earlier }: Messages,
): FromPhone | null => {
  const { client } = useAccount();
  const [states, setStates] = useState<ReadonlyMap<string, State>>(new Map());
  const chat = conversation?.chat ?? '';
  const state = states.get(chat) ?? 'idle';
  const set = (of: string, next: State): void => setStates((old) => new Map(old).set(of, next));
  const fail = (error: unknown): void => set(chat, { failed: messageOf(error) });
  useEvents(device.id, ({ type, data }) => {
    if (type !== 'history.loaded' || conversation === null || typeof data.chat !== 'string') return;
    if (!isWith(conversation, data.chat)) return set(data.chat, 'idle');
    if (data.count === 0 && data.more === null) return set(chat, 'off');
    set(chat, data.more === false ? 'end' : 'idle');
    if (data.count !== 0) earlier().catch(fail);
  });
  useEffect(() => {
    if (state !== 'asked') return;
    const timer = setTimeout(() => set(chat, 'off'), maxMs);
    return () => clearTimeout(timer);
  }, [chat, state]);
  if (conversation?.isKnown !== true || loading !== null || older !== null || messages.length === 0) return null;
  const ask = (): void => {
    set(chat, 'asked');
    client.post(`/v1/devices/${device.id}/chats/${encodeURIComponent(chat)}/history`, { count }).catch(fail);
  };
  return { state, ask, dismiss: () => set(chat, 'idle') };
};

interface Props {
  readonly device: Device;
  readonly fromPhone: FromPhone;
}

export const Earlier = ({ device, fromPhone: { state, ask, dismiss } }: Props) => (
  <div className="earlier">
    <p className="hint" role="status">
      {state === 'asked' && words.asked}
      {state === 'off' && words.off}
      {state === 'end' && words.end}
      {device.status !== 'connected' && state !== 'end' && words.notConnected}
    </p>
    <Failure of={{ error: typeof state === 'object' ? state.failed : null, dismiss }} />
    {state === 'asked' && <progress aria-label={words.asked} />}
    {state !== 'asked' && state !== 'end' && device.status === 'connected' && (
      <button type="button" className="quiet small" onClick={ask}>
        {state === 'off' ? texts.retry : words.ask}
      </button>
    )}
  </div>
);
