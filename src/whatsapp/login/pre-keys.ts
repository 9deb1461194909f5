/**
 * The prekeys of a device: the first ones, published before Baileys would, and a new signed prekey every 27 days. With the signed one of its linking for
 * ever, whoever learns that private half could pose as the recipient of first messages.
 *
 * Rule: a new signed prekey is stored before it is published, and published again if no answer came. Three former ones are kept for senders who have
 * fetched them. A refusal counts as a rotation; an error of the network is tried again after a day. Source: zapo `WaPassiveTasksCoordinator`
 * (2026-08-19), whatsapp-rust `rotate_key.rs` (2026-08-21), after WA Web's `RotateKeyJob`; not in whatsmeow (2026-08-21). Baileys rc14 never asks it.
 */
import { Curve, type KeyPair } from '../engine/crypto.ts';
import { type BinaryNode, S_WHATSAPP_NET } from '../engine/nodes.ts';
import {
  encodeBigEndian,
  INITIAL_PREKEY_COUNT,
  KEY_BUNDLE_TYPE,
  xmppPreKey,
  xmppSignedPreKey,
  signedKeyPair,
} from '../engine/baileys.ts';
import type { WASocket, AuthenticationCreds } from '../engine/types.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { SessionStore } from '../state/session-store.ts';
import {
  serializeCredentials,
  keepSignedPreKeys,
  keptSignedPreKeys,
  type KeptSignedPreKeys,
} from '../signal/credentials.ts';
import { encodeKey } from '../signal/key-codec.ts';
import { refusalOf } from '../engine/asked.ts';
import type { Clock, Timer } from '../../domain/clock.ts';

const bundleOf = ({ authState: { creds } }: WASocket, pairs: readonly (readonly [number, KeyPair])[]): BinaryNode => ({
  tag: 'iq',
  attrs: { xmlns: 'encrypt', type: 'set', to: S_WHATSAPP_NET },
  content: [
    { tag: 'registration', attrs: {}, content: encodeBigEndian(creds.registrationId) },
    { tag: 'type', attrs: {}, content: KEY_BUNDLE_TYPE },
    { tag: 'identity', attrs: {}, content: creds.signedIdentityKey.public },
    { tag: 'list', attrs: {}, content: pairs.map(([id, pair]) => xmppPreKey(pair, id)) },
    xmppSignedPreKey(creds.signedPreKey),
  ],
});

/** Makes the keys and stores them, with the credentials that count them, in one transaction. */
const makePreKeys = async (
  sock: WASocket,
  deviceId: number,
  store: Pick<SessionStore, 'commit'>,
): Promise<BinaryNode> => {
  const { creds } = sock.authState;
  const first = creds.nextPreKeyId;
  const pairs = Array.from(
    { length: INITIAL_PREKEY_COUNT },
    (_, index) => [first + index, Curve.generateKeyPair()] as const,
  );
  const next = first + pairs.length;
  Object.assign(creds, { nextPreKeyId: next, firstUnuploadedPreKeyId: next });
  await store.commit(deviceId, {
    credentials: serializeCredentials(creds),
    keys: pairs.map(([id, pair]) => ({ type: 'pre-key', id: String(id), value: encodeKey('pre-key', pair) })),
  });
  return bundleOf(sock, pairs);
};

/**
 * Baileys does the same in two transactions, and leaves a timer of half a minute behind, which keeps a process that is done from ending.
 * It still does it after a failure here.
 */
export const publishFirstPreKeys = async (
  sock: WASocket,
  deviceId: number,
  store: Pick<SessionStore, 'commit'>,
  log: Logger,
): Promise<void> => {
  try {
    await sock.query(await makePreKeys(sock, deviceId, store));
  } catch (error) {
    log.warn({ deviceId, error: messageOf(error) }, 'failed to publish the first prekeys');
  }
};

export interface RotationParts {
  readonly sock: Pick<WASocket, 'query'>;
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  readonly store: Pick<SessionStore, 'commit'>;
  readonly clock: Clock;
  /** Called when the connection has ended. */
  readonly whenEnded: Set<(error: unknown) => void>;
  readonly log: Logger;
}

const dayMs = 86_400_000;
const rotationMs = 27 * dayMs;
const keptFormer = 3;
/** Ids of prekeys have 24 bits; none has the id 0. */
const maxId = 2 ** 24 - 1;

const publish = async ({ sock }: RotationParts, next: AuthenticationCreds['signedPreKey']): Promise<number | null> => {
  const rotate = { tag: 'rotate', attrs: {}, content: [xmppSignedPreKey(next)] };
  try {
    await sock.query({ tag: 'iq', attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'encrypt' }, content: [rotate] });
    return null;
  } catch (error) {
    const code = refusalOf(error);
    if (code === null) throw error;
    return code;
  }
};

const rotate = async (parts: RotationParts, kept: KeptSignedPreKeys): Promise<void> => {
  const { deviceId, creds, store, clock, log } = parts;
  const write = (changed: Partial<KeptSignedPreKeys>): Promise<unknown> => {
    keepSignedPreKeys(creds, { ...kept, ...changed });
    return store.commit(deviceId, { credentials: serializeCredentials(creds) });
  };
  const { signedPreKey: present } = creds;
  const next = kept.next ?? signedKeyPair(creds.signedIdentityKey, (present.keyId % maxId) + 1);
  if (kept.next === null) await write({ next });
  const refused = await publish(parts, next);
  const now = clock.now();
  if (refused !== null) {
    log.warn({ deviceId, code: refused }, 'the network refused a new signed prekey');
    await write({ next: null, since: refused < 500 ? now : now - rotationMs + dayMs });
    return;
  }
  Object.assign(creds, { signedPreKey: next });
  await write({ next: null, former: [present, ...kept.former].slice(0, keptFormer), since: now });
};

/** Never rejects. */
const rotateIfDue = async (parts: RotationParts): Promise<void> => {
  const { deviceId, creds, store, clock, log } = parts;
  try {
    const kept = keptSignedPreKeys(creds);
    const now = clock.now();
    // The age of the first one is not known, and a clock that was set back is no reason to wait.
    if (kept === null || kept.since > now) {
      keepSignedPreKeys(creds, { next: null, former: [], ...kept, since: now });
      await store.commit(deviceId, { credentials: serializeCredentials(creds) });
    } else if (now - kept.since >= rotationMs) await rotate(parts, kept);
  } catch (error) {
    log.warn({ deviceId, error: messageOf(error) }, 'failed to publish a new signed prekey');
  }
};

/** To be called once a connection is open: looks now and each day. */
export const keepRotatingSignedPreKey = (parts: RotationParts): void => {
  let timer: Timer | null = null;
  const look = (): void => {
    timer = parts.clock.after(dayMs, look);
    void rotateIfDue(parts);
  };
  parts.whenEnded.add(() => timer?.cancel());
  look();
};
