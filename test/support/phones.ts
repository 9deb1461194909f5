/** A client of the sandbox's control interface (docs/sandbox.md). */
import type { PasskeyCredential } from '../../src/domain/passkey.ts';

export interface SandboxPhone {
  readonly username: string | null;
  readonly usernameKey: string | null;
  readonly number: string;
  readonly jid: string;
  readonly lid: string;
  readonly name: string;
  /** The code to compare in a passkey ceremony. */
  readonly passkeyCode: string | null;
  readonly linkedDevices: readonly { readonly device: number }[];
}

export interface SandboxLogin {
  readonly seq: number;
  readonly number: string;
  readonly at: number;
  readonly replaced: boolean;
}

export interface PhoneMessage {
  readonly seq: number;
  readonly id: string;
  readonly chat: string;
  readonly from: string;
  readonly type: string;
  readonly text: string | null;
  readonly image: {
    readonly mimetype: string;
    readonly bytes: number;
    readonly sha256: string;
    readonly width: number;
    readonly height: number;
    readonly caption: string | null;
    /** The width claimed by the message. */
    readonly claimedWidth: number;
    readonly claimedHeight: number;
    readonly thumbnailBytes: number;
  } | null;
  /** A file that is not an image. */
  readonly media?: { readonly caption: string | null };
  readonly state: string;
}

const call = async <T>(url: string, method: string, body?: unknown): Promise<T> => {
  const answer = await fetch(url, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${new URL(url).pathname}: ${answer.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
};

/** Throws if a sender has encrypted two messages with the same key, which no failure may cause. */
export const assertNoReusedKeys = async (phones: Pick<Phones, 'stats'>): Promise<void> => {
  const { reusedKeys } = await phones.stats();
  if (reusedKeys !== 0) throw new Error(`the phones count ${String(reusedKeys)} reused keys`);
};

/**
 * Prekeys that a new device publishes in tests: the 812 of the network's own apps take half the time of linking it. Still more than most tests
 * use up.
 */
export const firstPreKeys = 100;

/** The sandbox's phones, as a test uses them. */
export const phonesOf = (controlUrl: string) => ({
  controlUrl,
  request: <T>(method: string, path: string, body?: unknown): Promise<T> =>
    call<T>(`${controlUrl}${path}`, method, body),
  async add(number: string, name: string): Promise<SandboxPhone> {
    return (await call<{ phone: SandboxPhone }>(`${controlUrl}/phones`, 'POST', { number, name })).phone;
  },
  async get(number: string): Promise<SandboxPhone> {
    return (await call<{ phone: SandboxPhone }>(`${controlUrl}/phones/${number}`, 'GET')).phone;
  },
  scan: (number: string, qr: string): Promise<unknown> => call(`${controlUrl}/phones/${number}/scan`, 'POST', { qr }),
  enterCode: (number: string, code: string): Promise<unknown> =>
    call(`${controlUrl}/phones/${number}/link-code`, 'POST', { code }),
  /** The response of the phone's authenticator to WebAuthn request options. */
  async passkey(number: string, options: object, origin?: string): Promise<PasskeyCredential> {
    const body = { options, ...(origin === undefined ? {} : { origin }) };
    return (await call<{ credential: PasskeyCredential }>(`${controlUrl}/phones/${number}/passkey`, 'POST', body))
      .credential;
  },
  behave: (number: string, behaviour: object): Promise<unknown> =>
    call(`${controlUrl}/phones/${number}`, 'PATCH', behaviour),
  faults: (faults: object): Promise<unknown> => call(`${controlUrl}/faults`, 'PUT', faults),
  async write(number: string, message: Record<string, unknown>): Promise<readonly string[]> {
    return (await call<{ messageIds: string[] }>(`${controlUrl}/phones/${number}/messages`, 'POST', message))
      .messageIds;
  },
  async messages(number: string, after = 0): Promise<readonly PhoneMessage[]> {
    const url = `${controlUrl}/phones/${number}/messages?after=${after}`;
    return (await call<{ messages: PhoneMessage[] }>(url, 'GET')).messages;
  },
  /** Logins of linked devices; `replaced` if the device was already connected. */
  async logins(after = 0): Promise<readonly SandboxLogin[]> {
    return (await call<{ logins: SandboxLogin[] }>(`${controlUrl}/logins?after=${after}`, 'GET')).logins;
  },
  stats: (): Promise<Record<string, unknown>> => call(`${controlUrl}/stats`, 'GET'),
});

export type Phones = ReturnType<typeof phonesOf>;
