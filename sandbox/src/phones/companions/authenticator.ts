/** An account's passkey, and the software authenticator that answers with it (WebAuthn, ES256). */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { badRequest } from '../../base/errors.ts';

export interface PasskeySnapshot {
  readonly credentialId: string;
  readonly userHandle: string;
  readonly privateKey: string;
}

export interface Credential {
  readonly id: string;
  readonly rawId: string;
  readonly type: 'public-key';
  readonly authenticatorAttachment: 'platform';
  readonly clientExtensionResults: object;
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    readonly userHandle: string;
  };
}

export interface RequestOptions {
  readonly challenge: string;
  readonly rpId: string;
  readonly allowed: readonly string[];
}

/** User present, user verified, backup eligible, backed up. */
const FLAGS = 0x01 | 0x04 | 0x08 | 0x10;

const newPasskey = (): PasskeySnapshot => ({
  credentialId: randomBytes(20).toString('base64url'),
  userHandle: randomBytes(16).toString('base64url'),
  privateKey: generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'der' })
    .toString('base64url'),
});

export class Authenticator {
  #passkey: PasskeySnapshot | null;
  #key: KeyObject | null = null;
  readonly #made: () => void;

  constructor(from: PasskeySnapshot | null, made: () => void) {
    this.#passkey = from;
    this.#made = made;
  }

  get saved(): PasskeySnapshot | null {
    return this.#passkey;
  }

  get passkey(): PasskeySnapshot {
    if (this.#passkey === null) {
      this.#passkey = newPasskey();
      this.#made();
    }
    return this.#passkey;
  }

  get registered(): { readonly credentialId: Uint8Array; readonly publicKey: KeyObject } {
    return {
      credentialId: Buffer.from(this.passkey.credentialId, 'base64url'),
      publicKey: createPublicKey(this.#privateKey),
    };
  }

  /** The assertion a browser at `origin` returns. */
  answer({ challenge, rpId, allowed }: RequestOptions, origin: string): Credential {
    const { credentialId, userHandle } = this.passkey;
    if (allowed.length > 0 && !allowed.includes(credentialId)) {
      throw badRequest('the phone has none of the passkeys that are allowed');
    }
    const clientData = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge, origin, crossOrigin: false }));
    const rpIdHash = createHash('sha256').update(rpId).digest();
    const authenticatorData = Buffer.concat([rpIdHash, Buffer.from([FLAGS]), Buffer.alloc(4)]);
    const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientData).digest()]);
    return {
      id: credentialId,
      rawId: credentialId,
      type: 'public-key',
      authenticatorAttachment: 'platform',
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authenticatorData.toString('base64url'),
        signature: sign('sha256', signed, this.#privateKey).toString('base64url'),
        userHandle,
      },
    };
  }
  get #privateKey(): KeyObject {
    const key = Buffer.from(this.passkey.privateKey, 'base64url');
    this.#key ??= createPrivateKey({ key, type: 'pkcs8', format: 'der' });
    return this.#key;
  }
}
