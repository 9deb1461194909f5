/** Response types of the sandbox's control interface (docs/sandbox.md). */

export interface Phone {
  readonly number: string;
  readonly jid: string;
  readonly name: string;
  readonly behaviour: { readonly linking: 'plain' | 'refresh' | 'passkey' };
  /** The code to compare in a passkey ceremony. */
  readonly passkeyCode: string | null;
  readonly linkedDevices: readonly { readonly device: number }[];
}

export interface PhoneMessage {
  readonly seq: number;
  readonly id: string;
  readonly chat: string;
  readonly from: string;
  readonly fromMe: boolean;
  readonly pushName: string | null;
  readonly type: string;
  readonly text: string | null;
  readonly image: {
    readonly width: number | null;
    readonly height: number | null;
    readonly caption: string | null;
  } | null;
  readonly timestamp: string;
  readonly state: string;
  readonly revoked: boolean;
}
