/** Loading, acting and ticking. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError, wordsOf } from './api/client.ts';

type Update<T> = (value: T, isAnswer: boolean) => T;

export interface Loaded<T> {
  readonly value: T | null;
  readonly error: string | null;
  readonly reload: () => void;
  /**
   * Changes what is shown without asking the service. An answer still under way may be older than the change, so `update`
   * is applied to that as well, with `isAnswer` true: it may also hold the change already.
   */
  change(update: Update<T>): void;
}

/** What passes by itself: no answer, too many requests, a service that starts or stops. */
const willPass = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 0 || error.code === 429 || error.code === 503);

const retryMs = 2000;

/** Loads when `key` changes on `reload`, and again after what passes by itself; an answer that comes late is dropped. `key` null: not yet. */
export const useLoad = <T>(load: () => Promise<T>, key: string | null): Loaded<T> => {
  const [state, setState] = useState<{ readonly value: T | null; readonly error: string | null }>({
    value: null,
    error: null,
  });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  /** The changes since the request under way was sent; null when there is none. */
  const missed = useRef<Update<T>[] | null>(null);
  useEffect(() => {
    if (key === null) return;
    let wanted = true;
    const changes: Update<T>[] = [];
    missed.current = changes;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const run = async (): Promise<void> => {
      try {
        const answer = await latest.current();
        if (!wanted) return;
        missed.current = null;
        setState({ value: changes.reduce<T>((value, update) => update(value, true), answer), error: null });
      } catch (error) {
        if (!wanted) return;
        missed.current = null;
        setState((old) => ({ ...old, error: wordsOf(error) }));
        // Nobody should have to find out that it goes again.
        if (willPass(error)) timer = setTimeout(() => setTurn((n) => n + 1), retryMs);
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
    missed.current?.push(update);
    setState((old) => (old.value === null ? old : { value: update(old.value, false), error: null }));
  }, []);
  return { ...state, reload, change };
};

/** Draws again every so often, while `on`. */
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

/** The latest of a callback, under one identity. */
export const useLatest = <A extends readonly unknown[]>(callback: (...args: A) => void): ((...args: A) => void) => {
  const latest = useRef(callback);
  latest.current = callback;
  return useCallback((...args: A) => latest.current(...args), []);
};
