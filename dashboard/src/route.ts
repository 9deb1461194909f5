/** Where the reader is: `#/devices/3/webhook`, so that a reload and the back button work without the server's help. */
import { useSyncExternalStore } from 'react';

const subscribe = (listener: () => void): (() => void) => {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
};

/** The segments of the path. */
export const useRoute = (): readonly string[] =>
  useSyncExternalStore(subscribe, () => location.hash)
    .replace(/^#\/?/, '')
    .split('/')
    .filter(Boolean);

export const go = (path: string): void => {
  location.hash = path;
};
