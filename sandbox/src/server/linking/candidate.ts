/** A connection that is not linked to any account yet, and waits to be. */
import { randomBytes } from 'node:crypto';
import type { BinaryNode } from 'baileys';
import type { Client, Device, KeyPair, PhoneIdentity, PublicSignedPreKey } from '../../base/types.ts';
import { element, SERVER } from '../../base/nodes.ts';
import type { HubState } from '../state/state.ts';
import { seconds } from '../../base/clock.ts';

/** Registration data of an unlinked client. */
export interface Registration {
  /** The static key of its Noise handshake. */
  readonly noiseKey: Uint8Array;
  readonly identity: Uint8Array;
  readonly registrationId: number;
  readonly signedPreKey: PublicSignedPreKey;
  readonly platform: string | null;
  /** Client revision that it announces. */
  readonly revision: number;
}

/** A request to link by code: what the companion sent, for the phone that knows the code. */
export interface LinkCodeRequest {
  readonly number: string;
  readonly ref: Uint8Array;
  readonly wrappedEphemeral: Uint8Array;
  /** When the code is worth nothing any more. */
  readonly expiresAt: number;
  /** Takes the companion's key bundle, when it comes. */
  finish: ((keyBundle: Uint8Array, companionIdentity: Uint8Array) => void) | null;
  /** The network refuses what comes. */
  refuse: (() => void) | null;
}

/** Identity that the client has shown in a passkey ceremony. */
export interface ShownCompanion {
  readonly identity: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly deviceType: number;
  readonly ref: string;
  readonly commitment: Uint8Array;
}

/** One passkey ceremony: what was asked, what was answered, and who waits for the end of it. */
export interface Ceremony {
  readonly phone: PhoneIdentity;
  /** The secret that the phone has scanned, or agreed on by a code. */
  readonly scanned: Uint8Array;
  readonly refs: Set<string>;
  readonly primary: { readonly keys: KeyPair; readonly nonce: Uint8Array };
  readonly linked: PromiseWithResolvers<Device>;
  /** Good for one answer. */
  challenge: Uint8Array;
  companion: ShownCompanion | null;
  /** The code to compare is shown on both sides. */
  revealed: boolean;
}

export interface Candidate {
  readonly client: Client;
  readonly registration: Registration;
  /** When each of its QR refs expires. */
  readonly refs: Map<string, number>;
  readonly replies: Map<string, (reply: BinaryNode) => void>;
  /** Told when the connection is gone. */
  readonly whenGone: Set<() => void>;
  linkCode: LinkCodeRequest | null;
  /** The adv secret of a QR that the network has replaced, base64. */
  retiredSecret: string | null;
  /** Under way since the network asked for a passkey. */
  ceremony: Ceremony | null;
  state: 'waiting' | 'pairing' | 'linked';
}

export interface PairingRegistry {
  readonly candidates: Set<Candidate>;
  readonly byRef: Map<string, Candidate>;
  /** Refs that have linked someone. */
  readonly spent: Set<string>;
}

/** The step that a client waits for from this account to be linked: its owner enters a code, or gives the passkey. */
export const linkAsked = ({ clock }: HubState, { candidates }: PairingRegistry, number: string): LinkAsked | null => {
  const waiting = [...candidates].filter(({ state }) => state !== 'linked');
  if (waiting.some(({ ceremony }) => ceremony?.phone.account.number === number)) return 'passkey';
  const byCode = waiting.some(({ linkCode }) => linkCode?.number === number && linkCode.expiresAt > clock.now());
  return byCode ? 'code' : null;
};

export type LinkAsked = 'code' | 'passkey';

export const newPairingRegistry = (): PairingRegistry => ({
  candidates: new Set(),
  byRef: new Map(),
  spent: new Set(),
});

const FIRST_REF_MS = 60_000;
const NEXT_REF_MS = 20_000;
const REFS = 6;

/** A code lives longer than the refs beside it (whatsapp-rust #1163, 2026-07-28): nine times as long as a later ref. */
const CODE_MS = 180_000;

export const codeLifeMs = ({ faults }: HubState): number =>
  faults.expireQrAfterMs === null ? CODE_MS : (CODE_MS / NEXT_REF_MS) * faults.expireQrAfterMs;

/** When nobody has scanned any of them, the connection ends with the last ref, or with the code that outlives it. */
const endWhenExpired = (hub: HubState, candidate: Candidate, expiry: number): void => {
  const timer = hub.clock.after(expiry - hub.clock.now(), () => {
    candidate.whenGone.delete(cancel);
    if (candidate.state !== 'waiting') return;
    const codeExpiry = candidate.linkCode?.expiresAt ?? 0;
    if (codeExpiry > hub.clock.now()) endWhenExpired(hub, candidate, codeExpiry);
    else candidate.client.close(element('xmlstreamend'));
  });
  const cancel = (): void => timer.cancel();
  candidate.whenGone.add(cancel);
};

/** Gives an unlinked connection the refs of its QRs: the first lives a minute, each further one 20 s more. */
export const welcome = (
  hub: HubState,
  pairings: PairingRegistry,
  client: Client,
  registration: Registration,
): Candidate => {
  const candidate: Candidate = {
    client,
    registration,
    refs: new Map(),
    replies: new Map(),
    whenGone: new Set(),
    linkCode: null,
    retiredSecret: null,
    ceremony: null,
    state: 'waiting',
  };
  const now = hub.clock.now();
  const life = hub.faults.expireQrAfterMs;
  for (let index = 0; index < REFS; index += 1) {
    const ref = `2@${randomBytes(66).toString('base64')}`;
    const lifetime = life === null ? FIRST_REF_MS + NEXT_REF_MS * index : life * (index + 1);
    candidate.refs.set(ref, now + lifetime);
    pairings.byRef.set(ref, candidate);
  }
  pairings.candidates.add(candidate);
  const refs = [...candidate.refs.keys()].map((ref) => element('ref', {}, Buffer.from(ref)));
  client.send(
    element('iq', { from: SERVER, type: 'set', id: hub.nextId(), xmlns: 'md' }, [element('pair-device', {}, refs)]),
  );
  endWhenExpired(hub, candidate, Math.max(...candidate.refs.values()));
  return candidate;
};

export const dismiss = (pairings: PairingRegistry, candidate: Candidate): void => {
  pairings.candidates.delete(candidate);
  for (const ref of candidate.refs.keys()) pairings.byRef.delete(ref);
  for (const tell of candidate.whenGone) tell();
};

/** Sends an iq and waits for its answer. */
export const ask = (
  hub: HubState,
  candidate: Candidate,
  iq: BinaryNode,
  ms: number,
  problem: string,
): Promise<BinaryNode> => {
  const id = iq.attrs.id ?? '';
  return new Promise((resolve, reject) => {
    const settle = (run: () => void) => {
      timer.cancel();
      candidate.replies.delete(id);
      candidate.whenGone.delete(gone);
      run();
    };
    const fail = (why: string) => () => settle(() => reject(new Error(`${problem}: ${why}`)));
    const gone = fail('the connection ended');
    const timer = hub.clock.after(ms, fail('no answer came in time'));
    candidate.whenGone.add(gone);
    candidate.replies.set(id, (reply) => settle(() => resolve(reply)));
    candidate.client.send(iq);
  });
};

export const notify = (hub: HubState, candidate: Candidate, type: string, content: BinaryNode): void =>
  candidate.client.send(
    element('notification', { id: hub.nextId(), from: SERVER, type, t: seconds(hub.clock) }, [content]),
  );
