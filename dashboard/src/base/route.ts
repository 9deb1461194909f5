/** Routing by the hash (`#/devices/3/webhook`): reload and back button work without support from the server. */
import { useSyncExternalStore } from 'react';

const subscribe = (listener: () => void): (() => void) => {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
};

/** The path segments of the hash. */
export const useRoute = (): readonly string[] =>
  useSyncExternalStore(subscribe, () => location.hash)
    .replace(/^#\/?/, '')
    .split('/')
    .filter(Boolean);

/** `instead`: in place of the present page, to which the back button then does not lead. */
export const go = (path: string, instead = false): void => {
  if (instead) location.replace(`#${path}`);
  else location.hash = path;
};
