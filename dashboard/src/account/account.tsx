/** The signed-in user, their devices, and the event stream that keeps all pages live. */
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import type { Client } from '../api/client.ts';
import { listen } from '../api/stream.ts';
import type { Device, HandsetEvent, Service, User } from '../api/types.ts';
import { applyEvent, type Pairing, pairingOf } from './apply-events.ts';
import { type Loaded, useLatest, useLoad } from '../api/hooks.ts';
import { Outbox } from '../outbox/outbox.ts';

type EventListener = (event: HandsetEvent) => void;

export interface Account {
  readonly client: Client;
  readonly me: Loaded<{ readonly user: User; readonly service: Service }>;
  readonly devices: Loaded<readonly Device[]>;
  /** The latest QR code or pairing code of each device that is being paired. */
  readonly pairings: ReadonlyMap<number, Pairing>;
  /** Whether the event stream is open. */
  readonly live: boolean;
  /** Incremented each time the stream opens, because data loaded before may have missed events. 0 until the first attempt. */
  readonly generation: number;
  readonly subscribe: (listener: EventListener) => () => void;
  /** Messages that are being sent, or could not be. */
  readonly outbox: Outbox;
  readonly signOut: () => void;
}

const Context = createContext<Account | null>(null);

export const useAccount = (): Account => {
  const account = useContext(Context);
  if (account === null) throw new Error('nobody is signed in');
  return account;
};

/** Calls back for each new event of the device. */
export const useEvents = (deviceId: number, callback: EventListener): void => {
  const { subscribe } = useAccount();
  const latest = useLatest(callback);
  useEffect(
    () =>
      subscribe((event) => {
        if (event.deviceId === deviceId) latest(event);
      }),
    [subscribe, deviceId, latest],
  );
};

/** Keeps the event stream open and reports its state. */
const useStream = (client: Client, onEvent: EventListener) => {
  const [state, setState] = useState({ live: false, generation: 0 });
  const latest = useLatest(onEvent);
  useEffect(() => {
    const abort = new AbortController();
    const connected = (): void => setState(({ generation }) => ({ live: true, generation: generation + 1 }));
    // Pages still load if the stream cannot be opened.
    const lost = (): void => setState(({ generation }) => ({ live: false, generation: Math.max(generation, 1) }));
    void listen(client, '/v1/events', { connected, event: latest, lost }, abort.signal);
    return () => abort.abort();
  }, [client, latest]);
  return state;
};

const useOutbox = (client: Client): Outbox => {
  const outbox = useMemo(() => new Outbox(client), [client]);
  useEffect(() => {
    outbox.resume();
    return () => outbox.close();
  }, [outbox]);
  return outbox;
};

interface Props {
  readonly client: Client;
  readonly signOut: () => void;
  readonly children: ReactNode;
}

export const AccountProvider = ({ client, signOut, children }: Props) => {
  const listeners = useRef(new Set<EventListener>());
  const outbox = useOutbox(client);
  const [pairings, setPairings] = useState<ReadonlyMap<number, Pairing>>(new Map());
  /** Devices that had events. */
  const seen = useRef(new Set<number>());
  const { live, generation } = useStream(client, (event) => {
    seen.current.add(event.deviceId);
    const pairing = pairingOf(event);
    if (pairing !== null) setPairings((old) => new Map(old).set(event.deviceId, pairing));
    const known = devices.value?.some(({ id }) => id === event.deviceId) ?? true;
    // A response that arrives after the event usually counts it already.
    if (known) devices.change((all, isResponse) => applyEvent(all, event, isResponse));
    else devices.reload();
    for (const listener of listeners.current) listener(event);
  });
  const key = generation === 0 ? null : String(generation);
  const me = useLoad(() => client.get<{ user: User; service: Service }>('/v1/me'), 'once');
  const devices = useLoad(async () => (await client.get<{ devices: readonly Device[] }>('/v1/devices')).devices, key);
  const isLoaded = devices.value !== null;
  // A device that was created while the list loaded may not be in it.
  const findUnknown = useLatest(() => {
    const isKnown = (deviceId: number): boolean => devices.value?.some(({ id }) => id === deviceId) === true;
    if (isLoaded && [...seen.current].some((deviceId) => !isKnown(deviceId))) devices.reload();
  });
  useEffect(findUnknown, [findUnknown, isLoaded]);
  const subscribe = useCallback((listener: EventListener) => {
    listeners.current.add(listener);
    return () => listeners.current.delete(listener);
  }, []);
  const account = useMemo<Account>(
    () => ({ client, me, devices, pairings, live, generation, subscribe, outbox, signOut }),
    [client, me, devices, pairings, live, generation, subscribe, outbox, signOut],
  );
  return <Context value={account}>{children}</Context>;
};
