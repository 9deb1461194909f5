/** The pairwise sessions: encrypting to and decrypting from one device of a person. */
import type { SignalRepositoryWithLIDStore, SignalAuthState } from '../engine/types.ts';
import type { PreKeyBundleInput } from 'whatsapp-rust-bridge';
import { typedKey } from '../engine/crypto.ts';
import type { Logger } from '../../log.ts';
import { addressOf, sessionId } from './addresses.ts';
import { bridgeOf, encryptFor } from './bridge.ts';
import type { Receive } from './inbox.ts';
import type { RecordKind, SignalRecords, UnitOfWork } from './signal-records.ts';
import { hasOpenSession, readPreKeyMessage, readSessionInfo } from './session-record.ts';

type Given = Parameters<SignalRepositoryWithLIDStore['injectE2ESession']>[0]['session'];

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

/**
 * The keys of a new session for the bridge, which throws where nobody can catch it on values of other types. Throws if one is missing or of another size;
 * the bridge checks the signature.
 */
const keyBundleOf = ({ registrationId, identityKey, signedPreKey, preKey }: Partial<Given>): PreKeyBundleInput => ({
  registrationId: idOf(registrationId),
  identityKey: keyOf(identityKey),
  signedPreKey: {
    keyId: idOf(signedPreKey?.keyId),
    publicKey: keyOf(signedPreKey?.publicKey),
    signature: signatureOf(signedPreKey?.signature),
  },
  ...(preKey ? { preKey: { keyId: idOf(preKey.keyId), publicKey: keyOf(preKey.publicKey) } } : {}),
});

type SessionOperations = Pick<
  SignalRepositoryWithLIDStore,
  'decryptMessage' | 'encryptMessage' | 'injectE2ESession' | 'validateSession' | 'getSessionInfo' | 'deleteSession'
>;

export const session: RecordKind = { type: 'session', idOf: sessionId };

/** Trust on first use: keeps the identity; one that changed ends the session it replaces. */
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
  decryptMessage: ({ jid, type, ciphertext }) =>
    records.on(session, jid, (unit, id) => {
      const preKeyMessage = type === 'pkmsg' ? readPreKeyMessage(ciphertext) : null;
      // Without a one-time prekey nothing in the store tells a redelivery from a new session.
      const inboxFirst = preKeyMessage?.preKeyId === null;
      return receive(unit, { ciphertext, jid, group: null, inboxFirst }, async () => {
        if (preKeyMessage?.identityKey) await noteIdentity(unit, id, preKeyMessage.identityKey, log);
        if (preKeyMessage && !inboxFirst) await unit.load('pre-key', [String(preKeyMessage.preKeyId)]);
        return bridgeOf(unit, auth.creds, id).decrypt(type, ciphertext);
      });
    }),

  encryptMessage: ({ jid, data }) =>
    records.on(session, jid, async (unit, id) => {
      const { type, ciphertext } = await encryptFor(unit, auth.creds, id, data);
      await records.commit(unit);
      return { type, ciphertext };
    }),

  injectE2ESession: ({ jid, session: bundle }) =>
    records.on(session, jid, async (unit, id) => {
      const keys = keyBundleOf(bundle);
      await noteIdentity(unit, id, keys.identityKey, log);
      await bridgeOf(unit, auth.creds, id).begin(keys);
      await records.commit(unit);
    }),

  async validateSession(jid) {
    try {
      const record = await records.find(session, jid);
      if (record === null) return { exists: false, reason: 'no session' };
      return hasOpenSession(record) ? { exists: true } : { exists: false, reason: 'no open session' };
    } catch (error) {
      log.debug({ err: error }, 'failed to validate a session');
      return { exists: false, reason: 'validation error' };
    }
  },

  async getSessionInfo(jid) {
    const record = await records.find(session, jid);
    return record === null ? null : readSessionInfo(record);
  },

  async deleteSession(jids) {
    if (jids.length === 0) return;
    const resolved = await Promise.all(jids.map((jid) => records.resolve(jid)));
    const ids = [...jids.map((jid) => addressOf(jid)), ...resolved].map(sessionId);
    await records.holding(ids, async (unit) => {
      for (const id of ids) unit.put('session', id, null);
      await records.commit(unit);
    });
  },
});
