/**
 * Published prekeys: one-time ones, and a new signed prekey every 27 days. With a permanent one, whoever learns that private half could
 * pose as the recipient of first messages.
 * Rule: a new signed prekey is stored before it is published, and published again if no answer came. Three former ones are kept for
 * senders who have fetched them. A refusal counts as a rotation; a network error is retried after a day. Source: zapo
 * `WaPassiveTasksCoordinator` (2026-08-19), whatsapp-rust `rotate_key.rs` (2026-08-21), after WA Web's `RotateKeyJob`.
 */
import { type BinaryNode, S_WHATSAPP_NET } from '../library/nodes.ts';
import { encodeBigEndian, KEY_BUNDLE_TYPE, xmppSignedPreKey, signedKeyPair } from '../library/protocol.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import type { Socket } from '../socket/socket.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionStore } from '../state/session-store.ts';
import {
  serializeCredentials,
  keepSignedPreKeys,
  keptSignedPreKeys,
  type KeptSignedPreKeys,
  makePreKeys,
  type PreKeyParts,
} from '../signal/credentials.ts';
import { refusalOf } from '../socket/query.ts';
import type { Clock, Timer } from '../../domain/clock.ts';

const bundleOf = (creds: AuthenticationCreds, preKeys: BinaryNode[]): BinaryNode => ({
  tag: 'iq',
  attrs: { xmlns: 'encrypt', type: 'set', to: S_WHATSAPP_NET },
  content: [
    { tag: 'registration', attrs: {}, content: encodeBigEndian(creds.registrationId) },
    { tag: 'type', attrs: {}, content: KEY_BUNDLE_TYPE },
    { tag: 'identity', attrs: {}, content: creds.signedIdentityKey.public },
    { tag: 'list', attrs: {}, content: preKeys },
    xmppSignedPreKey(creds.signedPreKey),
  ],
});

export interface PublishParts extends PreKeyParts {
  readonly sock: Pick<Socket, 'query' | 'isOpen'>;
}

const pausesMs = [1_000, 2_000, 4_000];

export const publishPreKeys = async (parts: PublishParts, count: number): Promise<void> => {
  const { sock, creds } = parts;
  const bundle = bundleOf(creds, await makePreKeys(parts, count));
  for (const pauseMs of [...pausesMs, null]) {
    try {
      await sock.query({ ...bundle, attrs: { ...bundle.attrs } });
      return;
    } catch (error) {
      if (pauseMs === null || !sock.isOpen) throw error;
      await sleep(pauseMs, undefined, { ref: false });
    }
  }
};

export interface RotationParts {
  readonly sock: Pick<Socket, 'query'>;
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  readonly store: Pick<SessionStore, 'commit'>;
  readonly clock: Clock;
  readonly whenEnded: Set<(error: unknown) => void>;
  readonly log: Logger;
}

const dayMs = 86_400_000;
const rotationMs = 27 * dayMs;
const keptFormer = 3;
/** Prekey ids have 24 bits; 0 is unused. */
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

const rotateIfDue = async (parts: RotationParts): Promise<void> => {
  const { deviceId, creds, store, clock, log } = parts;
  try {
    const kept = keptSignedPreKeys(creds);
    const now = clock.now();
    // The first one's age is unknown, and a clock set back is no reason to wait.
    if (kept === null || kept.since > now) {
      keepSignedPreKeys(creds, { next: null, former: [], ...kept, since: now });
      await store.commit(deviceId, { credentials: serializeCredentials(creds) });
    } else if (now - kept.since >= rotationMs) await rotate(parts, kept);
  } catch (error) {
    log.warn({ deviceId, error: messageOf(error) }, 'failed to publish a new signed prekey');
  }
};

export const keepRotatingSignedPreKey = (parts: RotationParts): void => {
  let timer: Timer | null = null;
  const look = (): void => {
    timer = parts.clock.after(dayMs, look);
    void rotateIfDue(parts);
  };
  parts.whenEnded.add(() => timer?.cancel());
  look();
};
