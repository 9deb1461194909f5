/** Other programs' sessions, as the files of `useMultiFileAuthState` that they keep in folders or databases (docs/internals/sources.md). */
import { restoredNote } from '../../domain/changes.ts';
import type { AdoptedSession } from '../../domain/network.ts';
import { nextTurn } from '../../domain/turns.ts';
import { invalidRequest } from '../../errors.ts';
import { BufferJSON } from '../library/protocol.ts';
import { Curve, type KeyPair, typedKey } from '../library/crypto.ts';
import { proto } from '../library/proto.ts';
import type { AuthenticationCreds, SignalDataTypeMap } from '../library/types.ts';
import { accountOf, isLinked, setFacts } from '../identity/account.ts';
import { parseCredentials, serializeCredentials } from '../signal/credentials.ts';
import { recordOf, statesOf } from '../signal/session-record.ts';
import { decodeKey, encodeKey, type KeyType, keyTypes } from '../signal/key-store.ts';
import { senderKeyFromLibsignal, senderKeyToLibsignal } from './sender-key-forms.ts';
import { type LocalEnd, parsed, sessionFromLibsignal, sessionToLibsignal } from './session-forms.ts';

/** Not adopted: app state is read from its start, device lists and sender key holders are rebuilt. */
const left: readonly KeyType[] = ['app-state-sync-version', 'device-list', 'sender-key-memory'];
const types = keyTypes.toSorted((a, b) => b.length - a.length);
const maxName = 256;
/** Characters; the largest files are sessions with many former states. */
const maxFile = 1_048_576;
const maxFiles = 100_000;

interface Named {
  readonly type: KeyType;
  readonly id: string;
}

/** Reverses the file names: `/` became `__`, and `:` became `-`. */
const idOf = (type: KeyType, name: string): string => {
  if (type === 'app-state-sync-key') return name.replaceAll('__', '/');
  // A group's id may have a hyphen of its own (`<number>-<time>@g.us`).
  return type === 'sender-key' ? name.replace(/--([^-]+)--(\d+)$/, '::$1::$2') : name;
};

const namedOf = (name: string): Named | null => {
  if (name.length > maxName) return null;
  const base = name.endsWith('.json') ? name.slice(0, -'.json'.length) : name;
  const type = types.find((each) => base.startsWith(`${each}-`));
  return type === undefined ? null : { type, id: idOf(type, base.slice(type.length + 1)) };
};

const isBytes = (value: unknown, max: number): boolean => value instanceof Uint8Array && value.length <= max;

const isText = (value: unknown, max: number): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.length <= max);

const isPair = (value: unknown): value is KeyPair =>
  typeof value === 'object' &&
  value !== null &&
  ['public', 'private'].every((name) => {
    const key: unknown = Reflect.get(value, name);
    return key instanceof Uint8Array && key.length === 32;
  });

const belongs = (pair: KeyPair): boolean => {
  const message = Buffer.from('handset');
  return Curve.verify(typedKey(pair.public), message, Curve.sign(pair.private, message));
};

const accountPrefix = Buffer.from([6, 0]);
const hostedPrefix = Buffer.from([6, 5]);

/** Whether the phone signed this identity when linking. */
const isSigned = ({ account, signedIdentityKey }: AuthenticationCreds): boolean => {
  const { details, accountSignatureKey: key, accountSignature: signature } = account ?? {};
  if (!details || !signature || key?.length !== 32) return false;
  return [accountPrefix, hostedPrefix].some((prefix) =>
    Curve.verify(typedKey(key), Buffer.concat([prefix, details, signedIdentityKey.public]), signature),
  );
};

const longestText = 1_000;

/** What is handed on as it is: in place of bytes, a protobuf would be written for as long as an object says that it is. */
const isWellFormed = ({ account, signedPreKey, routingInfo, me, platform }: AuthenticationCreds): boolean =>
  Object.values(account ?? {}).every((value) => value === null || isBytes(value, maxFile)) &&
  isBytes(signedPreKey.signature, 64) &&
  Number.isSafeInteger(signedPreKey.keyId) &&
  (!routingInfo || isBytes(routingInfo, maxFile)) &&
  [me?.id, me?.lid, me?.name, platform].every((each) => isText(each, longestText));

const credentialsIn = (text: string | undefined): AuthenticationCreds => {
  if (text === undefined) throw invalidRequest('files has no creds.json: it is in the same folder, or in the database');
  if (text.length > maxFile) throw invalidRequest('creds.json is too large to be the credentials of a device');
  let creds: AuthenticationCreds;
  try {
    const value = parsed(text);
    // Evolution API stores JSON within JSON.
    const whole = typeof value === 'string' ? parsed(value) : value;
    creds = parseCredentials(Buffer.from(JSON.stringify(whole, BufferJSON.replacer)));
    // Protobuf as JSON: its bytes are base64.
    if (creds.account) creds.account = proto.ADVSignedDeviceIdentity.fromObject(creds.account);
  } catch {
    throw invalidRequest('creds.json is not the credentials of a device');
  }
  const { noiseKey, signedIdentityKey, signedPreKey, registrationId, me } = creds;
  const pairs = [noiseKey, signedIdentityKey, signedPreKey?.keyPair];
  if (!pairs.every(isPair) || !Number.isInteger(registrationId) || !Number.isInteger(creds.nextPreKeyId))
    throw invalidRequest('creds.json lacks keys that belong in it; take the whole file');
  if (
    !isLinked(creds) ||
    typeof me?.id !== 'string' ||
    !/^\d{5,20}(?::\d{1,5})?@s\.whatsapp\.net$/.test(me.id.slice(0, 64))
  )
    throw invalidRequest('creds.json is of a session that was never linked; there is nothing to move in');
  if (!isWellFormed(creds)) throw invalidRequest('creds.json is not the credentials of a device');
  if (!pairs.every(belongs) || !isSigned(creds))
    throw invalidRequest('creds.json mixes keys of different sessions: the phone has not linked this identity');
  return creds;
};

const appStateKeyIn = (value: object): proto.Message.AppStateSyncKeyData => {
  const key = proto.Message.AppStateSyncKeyData.fromObject(value);
  if (!isBytes(key.keyData, 64)) throw new TypeError('not a key of the app state');
  return key;
};

const hasToken = (value: unknown): value is SignalDataTypeMap['tctoken'] =>
  typeof value === 'object' && value !== null && 'token' in value && value.token instanceof Uint8Array;

/** Stored form of a key; null: empty. Throws if malformed. */
const encoded = (type: KeyType, value: unknown, local: LocalEnd): Uint8Array | null => {
  switch (type) {
    case 'session':
      // Already in the bridge's form.
      return value instanceof Uint8Array ? recordOf(statesOf(value)) : sessionFromLibsignal(value, local);
    case 'sender-key':
      if (value instanceof Uint8Array) return senderKeyFromLibsignal(value);
      break;
    case 'identity-key':
      if (value instanceof Uint8Array && value.length === 33) return encodeKey(type, value);
      break;
    case 'pre-key':
      if (isPair(value)) return encodeKey(type, value);
      break;
    case 'lid-mapping':
      if (typeof value === 'string' && value.length <= 20 && /^\d+$/.test(value)) return encodeKey(type, value);
      break;
    case 'tctoken':
      if (hasToken(value)) return encodeKey(type, value);
      break;
    case 'app-state-sync-key':
      if (typeof value === 'object' && value !== null) return encodeKey(type, appStateKeyIn(value));
      break;
    default:
      return null;
  }
  throw new TypeError(`not a ${type}`);
};

const countedAs: Partial<Record<KeyType, 'sessions' | 'groupKeys' | 'preKeys' | 'appStateKeys'>> = {
  session: 'sessions',
  'sender-key': 'groupKeys',
  'pre-key': 'preKeys',
  'app-state-sync-key': 'appStateKeys',
};

/** By name, with or without `.json`. Throws InvalidRequest for a session that cannot be moved. */
export const adoptFiles = async (files: Readonly<Record<string, string>>): Promise<AdoptedSession> => {
  const names = Object.keys(files);
  if (names.length > maxFiles) throw invalidRequest(`files must have at most ${maxFiles} files`);
  const creds = credentialsIn(files['creds.json'] ?? files.creds);
  const local = { identity: typedKey(creds.signedIdentityKey.public), registrationId: creds.registrationId };
  const counts = { sessions: 0, groupKeys: 0, preKeys: 0, appStateKeys: 0, skipped: 0 };
  const keys: { type: string; id: string; value: Uint8Array }[] = [];
  const take = (name: string, text: string): void => {
    const named = namedOf(name);
    if (named === null || text.length > maxFile) throw new TypeError('no key');
    const value = left.includes(named.type) ? null : encoded(named.type, parsed(text), local);
    if (value === null) return;
    keys.push({ ...named, value });
    const counted = countedAs[named.type];
    if (counted !== undefined) counts[counted]++;
  };
  for (const name of names) {
    const others = nextTurn();
    if (others !== null) await others;
    if (name === 'creds' || name === 'creds.json') continue;
    try {
      take(name, files[name]!);
    } catch {
      counts.skipped++;
    }
  }
  // The other program's chats and contacts are not adopted, so app state is read from its start.
  setFacts(creds, { appStateKept: undefined, labelsKept: undefined });
  // The files may be older than the program's last prekeys.
  keys.push({ ...restoredNote, value: Uint8Array.of(1) });
  return { account: accountOf(creds), credentials: serializeCredentials(creds), keys, counts };
};

const fileName = (type: string, id: string): string => `${type}-${id}.json`.replaceAll('/', '__').replaceAll(':', '-');

const isKeyType = (type: string): type is KeyType => keyTypes.some((each) => each === type);

export const releaseFiles = async (
  credentials: Uint8Array,
  keys: readonly { readonly type: string; readonly id: string; readonly value: Uint8Array }[],
  now: number,
): Promise<Record<string, string>> => {
  const files: Record<string, string> = { 'creds.json': Buffer.from(credentials).toString('utf8') };
  for (const { type, id, value } of keys) {
    const others = nextTurn();
    if (others !== null) await others;
    if (!isKeyType(type) || left.includes(type)) continue;
    const content =
      type === 'session'
        ? sessionToLibsignal(value, now)
        : type === 'sender-key'
          ? senderKeyToLibsignal(value)
          : decodeKey(type, value);
    files[fileName(type, id)] = JSON.stringify(content, BufferJSON.replacer);
  }
  return files;
};
