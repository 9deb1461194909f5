/** Authorizations of media connections. */
import { randomBytes } from 'node:crypto';

export class MediaAuths {
  /** Told in each authorization; those of a former one are not valid any more. */
  #generation = randomBytes(6).toString('hex');

  issue(): string {
    return `${this.#generation}.${randomBytes(18).toString('base64url')}`;
  }

  /** As when their time is up. */
  expireAll(): void {
    this.#generation = randomBytes(6).toString('hex');
  }

  isValid(auth: string): boolean {
    return auth.startsWith(`${this.#generation}.`);
  }
}
