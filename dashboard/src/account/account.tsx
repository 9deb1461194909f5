/** The signed-in user, their devices, and the event stream that keeps all pages live. */
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { firstPaths, paths } from '../api/ahead.ts';
import type { Client } from '../api/client.ts';
import type { Answer } from '../api/schemas.ts';
import { listen } from '../api/stream.ts';
import type { Device, HandsetEvent, KeyAction, LinkedAccount } from '../api/types.ts';
import { applyEvent, applyToHistories, type History, type Pairing, pairingOf } from './apply-events.ts';
import { type Loaded, useLatest, useLoad } from '../api/hooks.ts';
import { route } from '../base/route.ts';
import type { Entry } from '../outbox/entry.ts';
import { Outbox } from '../outbox/outbox.ts';

type EventListener = (event: HandsetEvent) => void;

export interface Account {
  readonly client: Client;
  readonly me: Loaded<Answer<'getMe'>>;
  readonly devices: Loaded<readonly Device[]>;
  /** Empty before `wantAccounts`. */
  readonly accounts: ReadonlyMap<number, LinkedAccount>;
  readonly wantAccounts: () => void;
  /** The latest QR code or pairing code of each device that is being paired. */
  readonly pairings: ReadonlyMap<number, Pairing>;
  /** By the id of the device, as far as this page has seen it. */
  readonly histories: ReadonlyMap<number, History>;
  /** Whether the event stream is open. */
  readonly live: boolean;
  /** The stream was lost: what is shown may have changed since. */
  readonly isAway: boolean;
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

/** The linked accounts by the id of their device, loaded for the first part of a page that shows them. */
export const useAccounts = (): ReadonlyMap<number, LinkedAccount> => {
  const { accounts, wantAccounts } = useAccount();
  useEffect(wantAccounts, [wantAccounts]);
  return accounts;
};

/** Whether the key may act so; `create`: manage all devices, and make others. True until it is known. The service refuses what is tried all the same. */
export const useMay = (): ((action: KeyAction | 'create') => boolean) => {
  const { devices = null, actions = null } = useAccount().me.value?.key ?? {};
  const may = (action: KeyAction): boolean => actions?.includes(action) ?? true;
  return (action) => (action === 'create' ? devices === null && may('manage') : may(action));
};

interface MayProps {
  readonly act: Parameters<ReturnType<typeof useMay>>[0];
  readonly children: ReactNode;
}

/** What only keys that may act so are shown. */
export const May = ({ act, children }: MayProps): ReactNode => useMay()(act) && children;

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
  return { ...state, isAway: state.generation > 0 && !state.live };
};

const useOutbox = (client: Client): Outbox => {
  const outbox = useMemo(() => new Outbox(client), [client]);
  useEffect(() => {
    outbox.resume();
    return () => outbox.close();
  }, [outbox]);
  return outbox;
};

type AccountPage = Answer<'listAccounts'>;

const noAccounts: ReadonlyMap<number, LinkedAccount> = new Map();

/** Loaded again when a pairing begins or ends; empty until they are loaded. */
const useLinkedAccounts = (client: Client, devices: readonly Device[] | null, generation: number) => {
  const [isWanted, setWanted] = useState(false);
  const wantAccounts = useCallback(() => setWanted(true), []);
  const load = async (): Promise<ReadonlyMap<number, LinkedAccount>> => {
    const found = new Map<number, LinkedAccount>();
    let cursor: string | null = null;
    do {
      const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page: AccountPage = await client.get<AccountPage>(paths.accounts + after);
      for (const account of page.accounts) found.set(account.deviceId, account);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return found;
  };
  const pairing = devices?.filter(({ status }) => status === 'qr').map(({ id }) => id);
  const loaded = useLoad(load, isWanted && pairing !== undefined ? `${generation} ${pairing.join()}` : null);
  return { accounts: loaded.value ?? noAccounts, wantAccounts };
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
  const [histories, setHistories] = useState<ReadonlyMap<number, History>>(new Map());
  /** Devices that had events. */
  const seen = useRef(new Set<number>());
  const { live, isAway, generation } = useStream(client, (event) => {
    client.changed();
    seen.current.add(event.deviceId);
    const pairing = pairingOf(event);
    if (pairing !== null) setPairings((old) => new Map(old).set(event.deviceId, pairing));
    setHistories((old) => applyToHistories(old, event));
    const known = devices.value?.some(({ id }) => id === event.deviceId) ?? true;
    // A response that arrives after the event usually counts it already.
    if (known) devices.change((all, isResponse) => applyEvent(all, event, isResponse));
    else devices.reload();
    for (const listener of listeners.current) listener(event);
  });
  useEffect(() => outbox.reach(!isAway), [outbox, isAway]);
  const key = generation === 0 ? null : String(generation);
  // Before the effects that load.
  useLayoutEffect(() => {
    if (generation > 0) client.ahead(firstPaths(route()));
  }, [client, generation]);
  const me = useLoad(() => client.get<Answer<'getMe'>>(paths.me), key === null ? null : 'once');
  const devices = useLoad<readonly Device[]>(
    async () => (await client.get<Answer<'listDevices'>>(paths.devices)).devices.toReversed(),
    key,
  );
  const { accounts, wantAccounts } = useLinkedAccounts(client, devices.value, generation);
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
  const told = { client, me, devices, accounts, wantAccounts, pairings, histories, live, isAway, generation };
  return <Context value={{ ...told, subscribe, outbox, signOut }}>{children}</Context>;
};

/** The unsent messages of a device, oldest first. */
export const useEntries = (deviceId: number): readonly Entry[] => {
  const { outbox } = useAccount();
  const entries = useSyncExternalStore(outbox.subscribe, outbox.entries);
  return useMemo(() => entries.filter((entry) => entry.deviceId === deviceId), [entries, deviceId]);
};
