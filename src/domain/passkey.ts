/** WebAuthn request options for `PublicKeyCredential.parseRequestOptionsFromJSON`; bytes are base64url. */
export interface PasskeyOptions {
  readonly challenge: string;
  readonly rpId: string;
  readonly [member: string]: unknown;
}

/** An assertion as returned by `PublicKeyCredential.toJSON`; bytes are base64url. */
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
 * A passkey ceremony. `response`: the options wait for a credential. `phone`: the network has accepted it, the phone continues. `confirm`:
 * a person compares the code with the phone. Times in ms since the epoch.
 */
export type Passkey =
  | {
      readonly step: 'response';
      readonly options: PasskeyOptions;
      /** A response before this time needs no code to compare. */
      readonly handOffUntil: number;
      readonly expiresAt: number;
      /** The network's refusal of the last credential, or null. */
      readonly refusal: string | null;
    }
  | { readonly step: 'phone'; readonly expiresAt: number }
  | {
      readonly step: 'confirm';
      /** `ABCD-EFGH` */
      readonly code: string;
      readonly expiresAt: number;
    };

/** The origin of the network's passkeys; browsers use them nowhere else. */
export const passkeyOrigin = 'https://web.whatsapp.com';
