/** Routing by the hash (`#/devices/3/webhook`): reload and back button work without support from the server. */
import { useSyncExternalStore } from 'react';

const subscribe = (listener: () => void): (() => void) => {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
};

const partsOf = (hash: string): readonly string[] => hash.replace(/^#\/?/, '').split('/').filter(Boolean);

export const route = (): readonly string[] => partsOf(location.hash);

export const useRoute = (): readonly string[] => partsOf(useSyncExternalStore(subscribe, () => location.hash));

/** `instead`: replaces the current page in the history. */
export const go = (path: string, instead = false): void => {
  if (instead) location.replace(`#${path}`);
  else location.hash = path;
};
