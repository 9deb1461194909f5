/** One-time tokens, each good for one passkey response of one device: for a browser that must not have an API key. */
import { randomBytes, timingSafeEqual } from 'node:crypto';

export interface PasskeyToken {
  /** `hsp_` and 43 characters of base64url. */
  readonly secret: string;
  readonly expiresAt: number;
}

const lifeMs = 300_000;
/** A token with less time than this is replaced by a new one. */
const spareMs = 60_000;

export const passkeyTokenPrefix = 'hsp_';

const equal = (a: string, b: string): boolean => {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
};

/** In memory: a token does not outlive the ceremony, and that does not outlive the process. */
export class PasskeyTokens {
  readonly #byDevice = new Map<number, PasskeyToken>();

  /** The device's token, or a new one; whoever asks often gets the same. */
  issue(deviceId: number, now: number): PasskeyToken {
    const known = this.#byDevice.get(deviceId);
    if (known !== undefined && known.expiresAt - now > spareMs) return known;
    const token = {
      secret: `${passkeyTokenPrefix}${randomBytes(32).toString('base64url')}`,
      expiresAt: now + lifeMs,
    };
    this.#byDevice.set(deviceId, token);
    return token;
  }

  isValid(deviceId: number, secret: string, now: number): boolean {
    const token = this.#byDevice.get(deviceId);
    return token !== undefined && token.expiresAt > now && equal(token.secret, secret);
  }

  /** One response, whatever becomes of it. False when it is not valid any more. */
  use(deviceId: number, secret: string, now: number): boolean {
    if (!this.isValid(deviceId, secret, now)) return false;
    this.forget(deviceId);
    return true;
  }

  forget(deviceId: number): void {
    this.#byDevice.delete(deviceId);
  }
}
