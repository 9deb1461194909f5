/** The credentials of this tab, kept in its session storage only, which ends with the tab. */

export interface SignedIn {
  readonly role: 'user' | 'operator';
  readonly secret: string;
}

const names = { user: 'handset.key', operator: 'handset.adminToken' } as const;

export const remember = ({ role, secret }: SignedIn): void => {
  forget();
  sessionStorage.setItem(names[role], secret);
};

export const forget = (): void => {
  for (const name of Object.values(names)) sessionStorage.removeItem(name);
};

export const remembered = (): SignedIn | null => {
  for (const role of ['user', 'operator'] as const) {
    const secret = sessionStorage.getItem(names[role]);
    if (secret !== null) return { role, secret };
  }
  return null;
};
