/** Pairwise sessions: encrypting to and decrypting from one device of a person. */
import type { SignalAuthState } from '../library/types.ts';
import type { PreKeyBundleInput } from '../library/bridge.ts';
import { typedKey } from '../library/crypto.ts';
import type { Logger } from '../../log.ts';
import { bridgeOf, type SignalMessage } from './bridge.ts';
import type { OnPlaintext, Receive } from './inbox.ts';
import { type RecordKind, type SignalRecords, type UnitOfWork, addressOf, sessionId } from './signal-records.ts';
import { hasOpenSession, readPreKeyMessage } from './session-record.ts';

interface PublishedKey {
  readonly keyId?: number | undefined;
  readonly publicKey?: Uint8Array | undefined;
  readonly signature?: Uint8Array | undefined;
}

/** Keys as somebody else has published them: not checked. */
export interface KeyBundle {
  readonly registrationId?: number | undefined;
  readonly identityKey?: Uint8Array | undefined;
  readonly signedPreKey?: PublishedKey | undefined;
  readonly preKey?: PublishedKey | undefined;
}

const signatureBytes = 64;
const maxId = 2 ** 32 - 1;

const idOf = (value: unknown): number => {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > maxId)
    throw new Error('key bundle: missing id');
  return value;
};

const keyOf = (value: unknown): Uint8Array => {
  if (!(value instanceof Uint8Array)) throw new Error('key bundle: missing key');
  return typedKey(value);
};

const signatureOf = (value: unknown): Uint8Array => {
  if (value instanceof Uint8Array && value.length === signatureBytes) return value;
  throw new Error('key bundle: missing signature');
};

/** Throws if a key is missing or of another size, as the bridge would throw uncatchably; the bridge checks the signature. */
const keyBundleOf = ({ registrationId, identityKey, signedPreKey, preKey }: KeyBundle): PreKeyBundleInput => ({
  registrationId: idOf(registrationId),
  identityKey: keyOf(identityKey),
  signedPreKey: {
    keyId: idOf(signedPreKey?.keyId),
    publicKey: keyOf(signedPreKey?.publicKey),
    signature: signatureOf(signedPreKey?.signature),
  },
  ...(preKey ? { preKey: { keyId: idOf(preKey.keyId), publicKey: keyOf(preKey.publicKey) } } : {}),
});

interface SessionOperations {
  decryptMessage(message: SignalMessage & { readonly jid: string }, onPlaintext?: OnPlaintext): Promise<Uint8Array>;
  injectE2ESession(begun: { readonly jid: string; readonly session: KeyBundle }): Promise<void>;
  hasOpenSession(jid: string): Promise<boolean>;
  deleteSession(jids: readonly string[]): Promise<void>;
}

export const session: RecordKind = { type: 'session', idOf: sessionId };

/** Trust on first use: stores the identity; a changed one ends the former session. */
const noteIdentity = async (unit: UnitOfWork, id: string, identityKey: Uint8Array, log: Logger): Promise<void> => {
  await unit.load('identity-key', [id]);
  const known = unit.get('identity-key', id);
  if (known !== null && Buffer.compare(known, identityKey) === 0) return;
  unit.put('identity-key', id, identityKey);
  if (known === null) return;
  unit.put('session', id, null);
  log.info('identity key changed; the session will be set up again');
};

export const makeSessions = (
  auth: SignalAuthState,
  records: SignalRecords,
  receive: Receive,
  log: Logger,
): SessionOperations => ({
  decryptMessage: ({ jid, type, ciphertext }, onPlaintext) =>
    records.on(session, jid, (unit, id) => {
      const preKeyMessage = type === 'pkmsg' ? readPreKeyMessage(ciphertext) : null;
      // Without a one-time prekey nothing in the store tells a redelivery from a new session.
      const inboxFirst = preKeyMessage?.preKeyId === null;
      const decrypt = async (): Promise<Uint8Array> => {
        if (preKeyMessage?.identityKey) await noteIdentity(unit, id, preKeyMessage.identityKey, log);
        if (preKeyMessage && !inboxFirst) await unit.load('pre-key', [String(preKeyMessage.preKeyId)]);
        return bridgeOf(unit, auth.creds, id).decrypt(type, ciphertext);
      };
      return receive(unit, { ciphertext, jid, group: null, inboxFirst }, decrypt, onPlaintext);
    }),

  injectE2ESession: ({ jid, session: bundle }) =>
    records.on(session, jid, async (unit, id) => {
      const keys = keyBundleOf(bundle);
      await noteIdentity(unit, id, keys.identityKey, log);
      await bridgeOf(unit, auth.creds, id).begin(keys);
      await unit.commit();
    }),

  async hasOpenSession(jid) {
    const record = await records.find(session, jid);
    return record !== null && hasOpenSession(record);
  },

  async deleteSession(jids) {
    if (jids.length === 0) return;
    const resolved = await Promise.all(jids.map((jid) => records.resolve(jid)));
    const ids = [...jids.map((jid) => addressOf(jid)), ...resolved].map(sessionId);
    await records.holding(ids, async (unit) => {
      for (const id of ids) unit.put('session', id, null);
      await unit.commit();
    });
  },
});
