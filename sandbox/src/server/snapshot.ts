/** The server's state as JSON: accounts, devices, keys, groups and queues. */
import type { BinaryNode } from 'baileys';
import {
  type Account,
  type Device,
  type MigrationNews,
  type PublishedKeys,
  type CarriedTokens,
  type Tokens,
} from '../base/types.ts';
import { makeDevice } from './accounts/accounts.ts';
import { loadProfile, type ProfileJson, saveProfile } from './accounts/profile.ts';
import { type ChannelJson, loadChannel, saveChannel } from './channels/channel.ts';
import { type GroupJson, loadGroup, saveGroup } from './groups/group.ts';
import type { HubState } from './state/state.ts';
import { base64 } from '../base/nodes.ts';

const VERSION = 2;

interface NodeJson {
  readonly tag: string;
  readonly attrs: Record<string, string>;
  readonly children?: NodeJson[];
  readonly text?: string;
  readonly bytes?: string;
}

interface KeysJson {
  readonly registrationId: number;
  readonly identity: string;
  readonly signedPreKey: { readonly id: number; readonly publicKey: string; readonly signature: string };
  readonly preKeys: [number, string][];
}

interface DeviceJson {
  readonly id: number;
  readonly keyIndex: number;
  readonly linkedAt: number;
  readonly platform: string | null;
  readonly noiseKey: string | null;
  readonly keys: KeysJson | null;
  readonly queue: [string, NodeJson, boolean][];
}

interface AccountJson {
  readonly number: string;
  readonly lid: string;
  readonly name: string;
  readonly formerLids: readonly string[];
  readonly migrated: boolean;
  readonly migrationTold: readonly MigrationNews[];
  readonly business: boolean;
  readonly hidesNumber: boolean;
  /** Absent in older snapshots. */
  readonly username?: string | null;
  readonly usernameKey?: string | null;
  readonly blocked: string[];
  readonly known: readonly string[];
  readonly watchers: string[];
  readonly keyIndexList: string | null;
  readonly nextDeviceId: number;
  readonly appState: readonly (readonly [string, readonly string[]])[];
  readonly tokens: TokensJson;
  readonly profile: ProfileJson;
  readonly devices: DeviceJson[];
}

interface TokensJson {
  readonly given: readonly { readonly to: string; readonly token: string; readonly at: number }[];
  readonly nctSalt: string | null;
  readonly required: boolean;
  readonly carried: CarriedTokens;
}

export interface HubSnapshot {
  readonly version: number;
  readonly accounts: AccountJson[];
  readonly groups: GroupJson[];
  /** Absent in snapshots of earlier versions. */
  readonly channels?: ChannelJson[];
  readonly terms?: readonly (readonly [string, readonly string[]])[];
}

const toBytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64'));

const saveNode = ({ tag, attrs, content }: BinaryNode): NodeJson => {
  if (content === undefined) return { tag, attrs };
  if (typeof content === 'string') return { tag, attrs, text: content };
  return Array.isArray(content)
    ? { tag, attrs, children: content.map(saveNode) }
    : { tag, attrs, bytes: base64(content) };
};

const loadNode = ({ tag, attrs, children, text, bytes }: NodeJson): BinaryNode => {
  const content = children?.map(loadNode) ?? text ?? (bytes === undefined ? undefined : toBytes(bytes));
  return content === undefined ? { tag, attrs } : { tag, attrs, content };
};

const saveKeys = ({ registrationId, identity, signedPreKey, preKeys }: PublishedKeys): KeysJson => ({
  registrationId,
  identity: base64(identity),
  signedPreKey: {
    id: signedPreKey.id,
    publicKey: base64(signedPreKey.publicKey),
    signature: base64(signedPreKey.signature),
  },
  preKeys: [...preKeys].map(([id, key]) => [id, base64(key)]),
});

const loadKeys = ({ registrationId, identity, signedPreKey, preKeys }: KeysJson): PublishedKeys => ({
  registrationId,
  identity: toBytes(identity),
  signedPreKey: {
    id: signedPreKey.id,
    publicKey: toBytes(signedPreKey.publicKey),
    signature: toBytes(signedPreKey.signature),
  },
  preKeys: new Map(preKeys.map(([id, key]) => [id, toBytes(key)])),
});

const loadQueue = (saved: DeviceJson['queue']): Device['queue'] =>
  new Map(
    saved.map(([key, node, delivered]) => [key, { node: loadNode(node), delivered, deliveries: 0, handedTo: null }]),
  );

const saveDevice = ({ id, keyIndex, linkedAt, platform, noiseKey, keys, queue }: Device): DeviceJson => ({
  id,
  keyIndex,
  linkedAt,
  platform,
  noiseKey: noiseKey === null ? null : base64(noiseKey),
  keys: keys === null ? null : saveKeys(keys),
  queue: [...queue].map(([key, { node, delivered }]) => [key, saveNode(node), delivered]),
});

const loadDevice = (account: Account, { id, keyIndex, linkedAt, platform, ...saved }: DeviceJson): Device =>
  makeDevice(account, id, {
    keyIndex,
    linkedAt,
    platform,
    noiseKey: saved.noiseKey === null ? null : toBytes(saved.noiseKey),
    keys: saved.keys === null ? null : loadKeys(saved.keys),
    queue: loadQueue(saved.queue),
  });

const numbers = (accounts: Iterable<Account>): string[] => [...accounts].map(({ number }) => number);

const saveTokens = ({ given, nctSalt, required, carried }: Tokens): TokensJson => ({
  given: [...given].map(([{ number }, { token, at }]) => ({ to: number, token: base64(token), at })),
  nctSalt: nctSalt === null ? null : base64(nctSalt),
  required,
  carried,
});

const loadTokens = (tokens: Tokens, saved: TokensJson, accountOf: (number: string) => Account): void => {
  for (const { to, token, at } of saved.given) tokens.given.set(accountOf(to), { token: toBytes(token), at });
  tokens.nctSalt = saved.nctSalt === null ? null : toBytes(saved.nctSalt);
  tokens.required = saved.required;
  Object.assign(tokens.carried, saved.carried);
};

const saveAccount = (hub: HubState, account: Account): AccountJson => {
  const { blocked, known, watchers, ...state } = hub.registry.stateOf(account);
  const { keyIndexList, nextDeviceId, appState, formerLids, tokens, profile } = state;
  return {
    number: account.number,
    lid: account.lid,
    name: account.name,
    formerLids: [...formerLids],
    migrated: account.migrated,
    migrationTold: account.migrationTold,
    business: account.business,
    hidesNumber: account.hidesNumber,
    username: account.username,
    usernameKey: account.usernameKey,
    blocked: numbers(blocked),
    known: numbers(known),
    watchers: numbers(watchers),
    keyIndexList: keyIndexList === null ? null : base64(keyIndexList),
    nextDeviceId,
    appState: [...appState].map(([name, patches]) => [name, patches.map(base64)] as const),
    tokens: saveTokens(tokens),
    profile: saveProfile(profile),
    devices: [...account.devices.values()].map(saveDevice),
  };
};

export const takeSnapshot = (hub: HubState): HubSnapshot => ({
  version: VERSION,
  accounts: [...hub.registry.byNumber.values()].map((account) => saveAccount(hub, account)),
  groups: [...hub.groups.values()].map(saveGroup),
  channels: [...hub.channels.values()].map(saveChannel),
  terms: [...hub.terms].map(([{ number }, notices]) => [number, [...notices]] as const),
});

/** The hub must have no accounts yet. */
export const loadSnapshot = (hub: HubState, snapshot: HubSnapshot): void => {
  if (snapshot.version !== VERSION)
    throw new Error('the data directory was saved by another version of the sandbox: delete it, or use another one');
  const accountOf = (number: string): Account => {
    const account = hub.registry.find(number);
    if (account === null) throw new Error('a snapshot that speaks of an account it does not have');
    return account;
  };
  for (const { number, name, lid, devices, ...saved } of snapshot.accounts) {
    const account = hub.registry.create(number, name, lid);
    account.migrated = saved.migrated;
    account.migrationTold = saved.migrationTold;
    account.business = saved.business;
    account.hidesNumber = saved.hidesNumber;
    account.username = saved.username ?? null;
    account.usernameKey = saved.usernameKey ?? null;
    for (const former of saved.formerLids) hub.registry.addFormerLid(account, former);
    for (const device of devices) account.devices.set(device.id, loadDevice(account, device));
  }
  for (const saved of snapshot.accounts) {
    const { number, blocked, known, watchers, keyIndexList, nextDeviceId, appState, tokens, profile } = saved;
    const state = hub.registry.stateOf(accountOf(number));
    for (const other of blocked) state.blocked.add(accountOf(other));
    for (const other of known) state.known.add(accountOf(other));
    for (const other of watchers) state.watchers.add(accountOf(other));
    state.keyIndexList = keyIndexList === null ? null : toBytes(keyIndexList);
    state.nextDeviceId = nextDeviceId;
    for (const [name, patches] of appState) state.appState.set(name, patches.map(toBytes));
    loadTokens(state.tokens, tokens, accountOf);
    loadProfile(state.profile, profile);
  }
  for (const group of snapshot.groups) hub.groups.set(group.jid, loadGroup(group, accountOf));
  for (const channel of snapshot.channels ?? []) hub.channels.set(channel.jid, loadChannel(channel, accountOf));
  for (const [number, notices] of snapshot.terms ?? []) hub.terms.set(accountOf(number), new Set(notices));
};
