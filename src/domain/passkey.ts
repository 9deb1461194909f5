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

/** `response`: waits for a credential. `phone`: the phone continues. `confirm`: a person compares the code with the phone. Times in ms. */
export type Passkey =
  | {
      readonly step: 'response';
      readonly options: PasskeyOptions;
      readonly handOffUntil: number;
      readonly expiresAt: number;
      readonly refusal: string | null;
    }
  | { readonly step: 'phone'; readonly expiresAt: number }
  | {
      readonly step: 'confirm';
      readonly code: string;
      readonly expiresAt: number;
    };

/** The only origin at which browsers use the network's passkeys. */
export const passkeyOrigin = 'https://web.whatsapp.com';
