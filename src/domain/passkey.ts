/** Linking behind a passkey: what the network asks for, what the person's authenticator answers, and where it stands. */

/** WebAuthn request options, as `PublicKeyCredential.parseRequestOptionsFromJSON` takes them; bytes are base64url. */
export interface PasskeyOptions {
  readonly challenge: string;
  readonly rpId: string;
  readonly [member: string]: unknown;
}

/** An assertion as `PublicKeyCredential.toJSON` gives it; bytes are base64url. */
export interface PasskeyCredential {
  readonly id: string;
  readonly rawId: string;
  readonly type: string;
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    readonly userHandle: string | null;
  };
}

/**
 * `response`: the options wait for a credential. `phone`: the network has taken it, the phone goes on. `confirm`: a person
 * compares the code with the one on the phone. Times in milliseconds since the epoch.
 */
export type Passkey =
  | {
      readonly step: 'response';
      readonly options: PasskeyOptions;
      /** A response until then needs no code to compare. */
      readonly handOffUntil: number;
      readonly expiresAt: number;
      /** The network's answer to the last credential, if it refused one. */
      readonly refusal: string | null;
    }
  | { readonly step: 'phone'; readonly expiresAt: number }
  | {
      readonly step: 'confirm';
      /** `ABCD-EFGH` */
      readonly code: string;
      readonly expiresAt: number;
    };

/** The origin on which the network's passkeys work; nowhere else does a browser use them. */
export const passkeyOrigin = 'https://web.whatsapp.com';
