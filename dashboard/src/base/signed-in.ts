/**
 * Who is signed in. A user's secret is a cookie that no script reads; the page only knows that there is one. The operator's token stays in
 * the session storage of the open tabs, which tell one another: a new one asks, and signing in or out in one does so in all.
 */

export interface SignedIn {
  readonly role: 'user' | 'operator';
  /** The beginning of the key or token. */
  readonly name: string;
  /** The API key behind the cookie. */
  readonly keyId: number | null;
  /** The operator's token. */
  readonly token: string | null;
}

type Told = { readonly is: 'asking' } | { readonly is: 'in' | 'out'; readonly signedIn: SignedIn };

const name = 'handset.signedIn';

const tabs = new BroadcastChannel(name);

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin
const tell = (told: Told): void => tabs.postMessage(told);

const clear = (): void => {
  for (const storage of [sessionStorage, localStorage]) storage.removeItem(name);
};

/** `stay`: over the end of the browser. */
const keep = (signedIn: SignedIn, stay: boolean): void => {
  clear();
  (stay ? localStorage : sessionStorage).setItem(name, JSON.stringify(signedIn));
};

export const remembered = (): SignedIn | null => {
  const stored = sessionStorage.getItem(name) ?? localStorage.getItem(name);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `keep` writes here
  return stored === null ? null : (JSON.parse(stored) as SignedIn);
};

/** The headers of a request. The cookie of a user is heeded only beside one that no other origin can send. */
export const credentialsOf = ({ token }: Pick<SignedIn, 'token'>): Readonly<Record<string, string>> =>
  token === null ? { 'handset-dashboard': '1' } : { authorization: `Bearer ${token}` };

export const remember = (signedIn: SignedIn, stay = false): void => {
  keep(signedIn, stay);
  tell({ is: 'in', signedIn });
};

export const forget = (): void => {
  const signedIn = remembered();
  clear();
  if (signedIn !== null) tell({ is: 'out', signedIn });
};

/** One browser has one cookie: another user's sign-in takes it over in every tab. */
const isReplaced = (mine: SignedIn, next: SignedIn): boolean =>
  mine.role === 'user' && next.role === 'user' && mine.keyId !== next.keyId;

/** Calls back when another tab signs this one in or out. Returns a function that stops it. */
export const followTabs = (changed: (signedIn: SignedIn | null) => void): (() => void) => {
  const hear = ({ data }: MessageEvent<Told>): void => {
    const mine = remembered();
    if (data.is === 'asking') {
      if (mine !== null) tell({ is: 'in', signedIn: mine });
    } else if (data.is === 'in' && (mine === null || isReplaced(mine, data.signedIn))) {
      keep(data.signedIn, false);
      changed(data.signedIn);
    } else if (data.is === 'out' && (mine === null || mine.name === data.signedIn.name)) {
      clear();
      changed(null);
    }
  };
  tabs.addEventListener('message', hear);
  if (remembered() === null) tell({ is: 'asking' });
  return () => tabs.removeEventListener('message', hear);
};
