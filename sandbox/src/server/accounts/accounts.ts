/** The accounts of the network, by number and by LID. */
import { type Account, type Device, MIGRATION_NEWS, type Profile, type Tokens } from '../../base/types.ts';
import { createHash } from 'node:crypto';
import { parseJid } from './jid.ts';
import { newProfile } from './profile.ts';

export interface AccountState {
  readonly account: Account;
  /** Accounts that this one has blocked. */
  readonly blocked: Set<Account>;
  /** A chat with these accounts is not new. */
  readonly known: Set<Account>;
  readonly watchers: Set<Account>;
  keyIndexList: Uint8Array | null;
  readonly appState: Map<string, Uint8Array[]>;
  readonly tokens: Tokens;
  readonly profile: Profile;
  nextDeviceId: number;
  /** Former LIDs; messages to them still arrive. */
  readonly formerLids: string[];
}

export interface AccountRegistry {
  readonly byNumber: ReadonlyMap<string, Account>;
  create(number: string, name: string, lid?: string): Account;
  find(address: string | undefined): Account | null;
  /** Case-insensitive. */
  named(username: string): Account | null;
  findDevice(address: string | undefined): Device | null;
  stateOf(account: Account): AccountState;
  renewLid(account: Account): void;
  addFormerLid(account: Account, lid: string): void;
}

/** Reveals nothing of the number, but survives a restart. */
const lidUser = (number: string, attempt: number): string => {
  const digest = createHash('sha256').update(`${number}/${attempt}`).digest();
  return String(100_000_000_000_000 + Number(digest.readBigUInt64BE() % 900_000_000_000_000n));
};

export const makeDevice = (account: Account, id: number, given: Partial<Device> = {}): Device => ({
  account,
  id,
  keyIndex: 0,
  linkedAt: 0,
  platform: null,
  noiseKey: null,
  keys: null,
  client: null,
  queue: new Map(),
  ...given,
});

const newAccount = (number: string, name: string, lidDigits: string): Account => {
  const account: Account = {
    number,
    jid: `${number}@s.whatsapp.net`,
    lid: `${lidDigits}@lid`,
    name,
    migrated: true,
    migrationTold: MIGRATION_NEWS,
    business: false,
    hidesNumber: false,
    username: null,
    usernameKey: null,
    devices: new Map(),
  };
  account.devices.set(0, makeDevice(account, 0));
  return account;
};

const newTokens = (): Tokens => ({
  given: new Map(),
  nctSalt: null,
  required: false,
  carried: { tctoken: 0, cstoken: 0, wrong: 0, none: 0 },
});

const newAccountState = (account: Account): AccountState => ({
  account,
  blocked: new Set(),
  known: new Set(),
  watchers: new Set(),
  keyIndexList: null,
  appState: new Map(),
  tokens: newTokens(),
  profile: newProfile(),
  nextDeviceId: 1,
  formerLids: [],
});

export const makeAccounts = (): AccountRegistry => {
  const byNumber = new Map<string, Account>();
  const byLid = new Map<string, Account>();
  const states = new Map<Account, AccountState>();

  const freeLid = (number: string): string => {
    let attempt = 0;
    while (byLid.has(lidUser(number, attempt))) attempt += 1;
    return lidUser(number, attempt);
  };

  const stateOf = (account: Account): AccountState => {
    const found = states.get(account);
    if (found === undefined) throw new Error('that account is not of this sandbox');
    return found;
  };

  const addFormer = (account: Account, lid: string): void => {
    stateOf(account).formerLids.push(lid);
    byLid.set(lid.split('@')[0]!, account);
  };

  const find = (address: string | undefined): Account | null => {
    const jid = parseJid(address);
    if (jid === null) return byNumber.get(address?.replace(/^\+/, '') ?? '') ?? null;
    if (jid.server === 'lid') return byLid.get(jid.user) ?? null;
    return jid.server === 's.whatsapp.net' || jid.server === 'c.us' ? (byNumber.get(jid.user) ?? null) : null;
  };

  return {
    byNumber,
    find,
    named: (username) => {
      const wanted = username.toLowerCase();
      for (const account of byNumber.values()) if (account.username?.toLowerCase() === wanted) return account;
      return null;
    },
    create: (number, name, lid) => {
      if (!/^[0-9]{5,15}$/.test(number)) throw new Error(`${number} is no phone number: 5 to 15 digits`);
      if (byNumber.has(number)) throw new Error(`${number} is already in the sandbox`);
      const user = lid?.split('@')[0] ?? freeLid(number);
      const account = newAccount(number, name, user);
      byNumber.set(number, account);
      byLid.set(user, account);
      states.set(account, newAccountState(account));
      return account;
    },
    findDevice: (address) => find(address)?.devices.get(parseJid(address)?.device ?? 0) ?? null,
    stateOf,
    addFormerLid: addFormer,
    renewLid: (account) => {
      addFormer(account, account.lid);
      const user = freeLid(account.number);
      account.lid = `${user}@lid`;
      byLid.set(user, account);
    },
  };
};
