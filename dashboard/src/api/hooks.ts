/** Hooks for loading data, ticking clocks and stable callbacks. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError, messageOf } from './client.ts';

type Update<T> = (value: T, isResponse: boolean) => T;

export interface Loaded<T> {
  readonly value: T | null;
  readonly error: string | null;
  readonly reload: () => void;
  /**
   * Changes the value without a request. A response that is still on its way may predate the change, so `update` is
   * applied to that too. `isResponse` is then true, since the response may include the change already.
   */
  change(update: Update<T>): void;
}

/** Temporary errors: no response, rate limited, or a service that is starting or stopping. */
const isTemporary = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 0 || error.code === 429 || error.code === 503);

const retryMs = 2000;

/** Loads when `key` changes, on `reload` and after temporary errors. Outdated responses are dropped. Null as `key` loads nothing yet. */
export const useLoad = <T>(load: () => Promise<T>, key: string | null): Loaded<T> => {
  const [state, setState] = useState<{ readonly value: T | null; readonly error: string | null }>({
    value: null,
    error: null,
  });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  /** The changes since the pending request was sent; null without one. */
  const pending = useRef<Update<T>[] | null>(null);
  useEffect(() => {
    if (key === null) return;
    let wanted = true;
    const changes: Update<T>[] = [];
    pending.current = changes;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const run = async (): Promise<void> => {
      try {
        const response = await latest.current();
        if (!wanted) return;
        pending.current = null;
        setState({ value: changes.reduce<T>((value, update) => update(value, true), response), error: null });
      } catch (error) {
        if (!wanted) return;
        pending.current = null;
        setState((old) => ({ ...old, error: messageOf(error) }));
        if (isTemporary(error)) timer = setTimeout(() => setTurn((n) => n + 1), retryMs);
      }
    };
    void run();
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [key, turn]);
  const reload = useCallback(() => setTurn((n) => n + 1), []);
  const change = useCallback((update: Update<T>) => {
    pending.current?.push(update);
    setState((old) => (old.value === null ? old : { value: update(old.value, false), error: null }));
  }, []);
  return { ...state, reload, change };
};

/** A value that changes only after it has stayed the same for a while, as for a search that is typed. */
export const useDelayed = <T>(value: T, ms: number): T => {
  const [delayed, setDelayed] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return delayed;
};

/** Calls back once calls have ceased for `ms`, and every `maxMs` while they go on. */
export const useDebounced = (callback: () => void, ms: number, maxMs: number): (() => void) => {
  const latest = useLatest(callback);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const since = useRef<number | null>(null);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    clearTimeout(timer.current);
    since.current ??= Date.now();
    timer.current = setTimeout(
      () => {
        since.current = null;
        latest();
      },
      Math.min(ms, Math.max(0, since.current + maxMs - Date.now())),
    );
  }, [latest, ms, maxMs]);
};

/** The current time, updated every `ms` while `on`. */
export const useTick = (ms: number, on = true): number => {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!on) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), ms);
    return () => clearInterval(timer);
  }, [ms, on]);
  return now;
};

/** A callback with a stable identity that always calls the latest version. */
export const useLatest = <A extends readonly unknown[]>(callback: (...args: A) => void): ((...args: A) => void) => {
  const latest = useRef(callback);
  latest.current = callback;
  return useCallback((...args: A) => latest.current(...args), []);
};
