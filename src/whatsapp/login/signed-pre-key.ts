/**
 * A new signed prekey, every 27 days: with the one that a device is linked with, whoever has learned its private half could pose as the recipient of first
 * messages for ever.
 *
 * Rule: the new one is stored before it is published, and published again where no answer came, so that the network never hands out a key that is
 * not here. Three former ones are kept for senders who have fetched them. A refusal counts as a rotation, and an error of the network is tried again
 * after a day. Source: zapo `WaPassiveTasksCoordinator` (2026-08-19), whatsapp-rust `rotate_key.rs` (2026-08-21), after WA Web's `RotateKeyJob`; not in
 * whatsmeow (2026-08-21). Baileys rc14 has the question, and never asks it.
 */
import { S_WHATSAPP_NET } from '../engine/nodes.ts';
import { signedKeyPair, xmppSignedPreKey } from '../engine/prekeys.ts';
import { refusalOf } from '../engine/refusal.ts';
import type { AuthenticationCreds, WASocket } from '../engine/types.ts';
import type { Clock, Timer } from '../../domain/clock.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { serializeCredentials } from '../signal/credentials.ts';
import { keepSignedPreKeys, keptSignedPreKeys, type KeptSignedPreKeys } from '../signal/signed-pre-keys.ts';
import type { SessionStore } from './session-store.ts';

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
