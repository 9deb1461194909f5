/** Response types of the sandbox's control interface (docs/sandbox.md). */

export interface Phone {
  readonly number: string;
  readonly jid: string;
  readonly lid: string;
  readonly name: string;
  readonly behaviour: { readonly linking: 'plain' | 'refresh' | 'passkey' };
  /** The step that a client which is not linked yet waits for from this phone. */
  readonly linkAsked: 'code' | 'passkey' | null;
  /** The code to compare in a passkey ceremony. */
  readonly passkeyCode: string | null;
  readonly linkedDevices: readonly { readonly device: number }[];
}

export interface PhoneGroup {
  readonly jid: string;
  readonly subject: string;
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
  readonly media: {
    readonly caption: string | null;
    readonly fileName: string | null;
    readonly seconds?: number;
    readonly voice?: true;
    readonly gif?: true;
    readonly note?: true;
    readonly animated?: true;
  } | null;
  readonly timestamp: string;
  readonly state: string;
  readonly edited: boolean;
  readonly revoked: boolean;
  readonly reactions: readonly { readonly from: string; readonly emoji: string }[];
  readonly comments?: readonly { readonly text: string }[];
  readonly pinned?: object | null;
  readonly viewOnce?: true;
  readonly quoted?: { readonly type: string; readonly text: string | null };
  readonly forwarded?: { readonly times: number };
  readonly expiresInSeconds?: number;
  readonly location?: Place;
  readonly contacts?: readonly { readonly name: string; readonly numbers: readonly string[] }[];
  readonly poll?: {
    readonly question: string;
    readonly votes: readonly { readonly option: string; readonly from: readonly string[] }[];
  };
  readonly event?: {
    readonly name: string;
    readonly startsAt: string | null;
    readonly place: Place | null;
    readonly canceled: boolean;
  };
  readonly groupInvite?: { readonly subject: string | null };
  readonly album?: { readonly images: number; readonly videos: number };
  readonly product?: { readonly title: string | null; readonly price: number | null; readonly currency: string | null };
  readonly order?: { readonly items: number; readonly total: number | null; readonly currency: string | null };
  readonly payment?: { readonly amount: number; readonly currency: string };
  readonly callLog?: { readonly video: boolean; readonly outcome: string };
  readonly system?: string;
  readonly link?: { readonly title: string | null; readonly description: string | null };
  readonly referral?: { readonly title: string | null };
}

interface Place {
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly name: string | null;
  readonly address: string | null;
  readonly live?: boolean;
}
