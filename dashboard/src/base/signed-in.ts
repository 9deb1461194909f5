/**
 * The credentials of this browser's open tabs. Each tab keeps them in its session storage, which ends with it. The tabs tell one another:
 * a new one asks for them, and signing in or out in one does so in all.
 */

export interface SignedIn {
  readonly role: 'user' | 'operator';
  readonly secret: string;
}

type Told = { readonly is: 'asking' } | { readonly is: 'in' | 'out'; readonly signedIn: SignedIn };

const names = { user: 'handset.key', operator: 'handset.adminToken' } as const;

const tabs = new BroadcastChannel('handset.signed-in');

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin
const tell = (told: Told): void => tabs.postMessage(told);

const clear = (): void => {
  for (const name of Object.values(names)) sessionStorage.removeItem(name);
};

const keep = ({ role, secret }: SignedIn): void => {
  clear();
  sessionStorage.setItem(names[role], secret);
};

export const remembered = (): SignedIn | null => {
  for (const role of ['user', 'operator'] as const) {
    const secret = sessionStorage.getItem(names[role]);
    if (secret !== null) return { role, secret };
  }
  return null;
};

export const remember = (signedIn: SignedIn): void => {
  keep(signedIn);
  tell({ is: 'in', signedIn });
};

export const forget = (): void => {
  const signedIn = remembered();
  clear();
  if (signedIn !== null) tell({ is: 'out', signedIn });
};

/** Calls back when another tab signs this one in or out. Returns a function that stops it. */
export const followTabs = (changed: (signedIn: SignedIn | null) => void): (() => void) => {
  const hear = ({ data }: MessageEvent<Told>): void => {
    const mine = remembered();
    if (data.is === 'asking') {
      if (mine !== null) tell({ is: 'in', signedIn: mine });
    } else if (data.is === 'in' && mine === null) {
      keep(data.signedIn);
      changed(data.signedIn);
    } else if (data.is === 'out' && mine?.secret === data.signedIn.secret) {
      clear();
      changed(null);
    }
  };
  tabs.addEventListener('message', hear);
  if (remembered() === null) tell({ is: 'asking' });
  return () => tabs.removeEventListener('message', hear);
};
