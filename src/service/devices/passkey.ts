/** Linking with a passkey, for the owner of the device and for a browser with a one-time token. */
import { randomBytes, createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { Passkey, PasskeyCredential } from '../../domain/passkey.ts';
import type { NetworkSession } from '../../domain/network.ts';
import type { User } from '../../domain/user.ts';
import { HandsetError, notFound } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceScope } from '../sessions/runtimes.ts';

/** A token for one passkey response of one device, for a browser that must not have an API key. */
interface PasskeyToken {
  /** `hsp_` and 56 characters of base64url: device, expiry, nonce, ceremony, and a MAC of this installation. */
  readonly secret: string;
  readonly expiresAt: number;
}

export const passkeyTokenPrefix = 'hsp_';

const lifeMs = 300_000;
const spareMs = 60_000;

const nonceBytes = 8;
const ceremonyBytes = 8;
const headBytes = 10 + nonceBytes + ceremonyBytes;
const proofBytes = 16;

const ceremonyOf = (challenge: string): Buffer => hash('sha256', challenge, 'buffer').subarray(0, ceremonyBytes);

const isOf = (secret: string, challenge: string): boolean =>
  Buffer.from(secret.slice(passkeyTokenPrefix.length), 'base64url')
    .subarray(headBytes - ceremonyBytes, headBytes)
    .equals(ceremonyOf(challenge));

/** Any node can verify a token; the device's node ensures single use, in memory: a ceremony ends with the process or the session. */
export class PasskeyTokens {
  readonly #key: Uint8Array;
  readonly #issued = new Map<number, PasskeyToken>();
  readonly #used = new Map<string, number>();

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** Idempotent while the token is valid. */
  issue(deviceId: number, challenge: string, now: number): PasskeyToken {
    const known = this.#issued.get(deviceId);
    const isGood = known !== undefined && known.expiresAt - now > spareMs && !this.#used.has(known.secret);
    if (isGood && isOf(known.secret, challenge)) return known;
    const expiresAt = now + lifeMs;
    const head = Buffer.alloc(headBytes);
    head.writeUInt32BE(deviceId, 0);
    head.writeUIntBE(expiresAt, 4, 6);
    randomBytes(nonceBytes).copy(head, 10);
    ceremonyOf(challenge).copy(head, 10 + nonceBytes);
    const secret = passkeyTokenPrefix + Buffer.concat([head, this.#proofOf(head)]).toString('base64url');
    const token = { secret, expiresAt };
    this.#issued.set(deviceId, token);
    return token;
  }

  isValid(deviceId: number, secret: string, now: number): boolean {
    const expiresAt = this.#expiryOf(deviceId, secret);
    return expiresAt !== null && expiresAt > now && !this.#used.has(secret);
  }

  /** Uses the token up, whatever the outcome. False if it is invalid, or for another ceremony. */
  use(deviceId: number, secret: string, challenge: string, now: number): boolean {
    if (!this.isValid(deviceId, secret, now) || !isOf(secret, challenge)) return false;
    for (const [old, until] of this.#used) if (until <= now) this.#used.delete(old);
    this.#used.set(secret, now + lifeMs);
    return true;
  }

  /** Null if this installation did not make it for this device. */
  #expiryOf(deviceId: number, secret: string): number | null {
    const bytes = Buffer.from(secret.slice(passkeyTokenPrefix.length), 'base64url');
    if (!secret.startsWith(passkeyTokenPrefix) || bytes.length !== headBytes + proofBytes) return null;
    const head = bytes.subarray(0, headBytes);
    // Another spelling of the same bytes would evade the list of used tokens.
    if (passkeyTokenPrefix + bytes.toString('base64url') !== secret) return null;
    if (!timingSafeEqual(bytes.subarray(headBytes), this.#proofOf(head)) || head.readUInt32BE(0) !== deviceId) {
      return null;
    }
    return head.readUIntBE(4, 6);
  }

  #proofOf(head: Uint8Array): Uint8Array {
    return createHmac('sha256', this.#key).update('passkey response').update(head).digest().subarray(0, proofBytes);
  }
}

export interface PasskeyView {
  readonly passkey: Passkey;
  readonly token: PasskeyToken | null;
}

export const makePasskeys = (parts: LiveParts) => {
  const { stores, runtimes, clock } = parts;
  const tokens = new PasskeyTokens(parts.tokenKey ?? randomBytes(32));

  /** Throws NotFound if the network asks for no passkey. */
  const asked = async (scope: DeviceScope): Promise<{ passkey: Passkey; session: NetworkSession }> => {
    const { state } = runtimes.sessionOf(await scope.record());
    const session = runtimes.find(scope.id)?.connection.session ?? null;
    if (state.kind !== 'passkey_required' || session === null) throw notFound('Passkey');
    return { passkey: state.passkey, session };
  };

  return {
    async get(scope: DeviceScope): Promise<PasskeyView> {
      const { passkey } = await asked(scope);
      return {
        passkey,
        token: passkey.step === 'response' ? tokens.issue(scope.id, passkey.options.challenge, clock.now()) : null,
      };
    },
    /** Throws InvalidRequest if the network refuses the credential, Conflict at another step. */
    async respond(scope: DeviceScope, credential: PasskeyCredential): Promise<void> {
      const { session } = await asked(scope);
      await session.answerPasskey(credential);
    },
    async confirm(scope: DeviceScope): Promise<void> {
      const { session } = await asked(scope);
      await session.confirmPasskey();
    },
    async ownerOf(id: number, token: string): Promise<User | null> {
      if (!tokens.isValid(id, token, clock.now())) return null;
      const record = await stores.devices.find(id);
      return record === null ? null : stores.users.find(record.userId);
    },
    /** Throws Unauthorized if the token was used meanwhile, or its ceremony is over. */
    spend({ id }: DeviceScope, token: string): void {
      const state = runtimes.find(id)?.session.state;
      const passkey = state?.kind === 'passkey_required' ? state.passkey : null;
      const challenge = passkey?.step === 'response' ? passkey.options.challenge : null;
      if (challenge === null || !tokens.use(id, token, challenge, clock.now())) {
        throw new HandsetError('Unauthorized', 'The one-time token has been used or has expired');
      }
    },
  };
};
