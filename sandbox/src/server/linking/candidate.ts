/** A connection that is not linked to an account yet. */
import { randomBytes } from 'node:crypto';
import type { BinaryNode } from 'baileys';
import type { Client, Device, KeyPair, PhoneIdentity, PublicSignedPreKey } from '../../base/types.ts';
import { element, SERVER } from '../../base/nodes.ts';
import type { HubState } from '../state/state.ts';
import { seconds } from '../../base/clock.ts';

export interface Registration {
  readonly noiseKey: Uint8Array;
  readonly identity: Uint8Array;
  readonly registrationId: number;
  readonly signedPreKey: PublicSignedPreKey;
  readonly platform: string | null;
  readonly revision: number;
}

/** The companion's part of linking by code, for the phone that knows the code. */
export interface LinkCodeRequest {
  readonly number: string;
  readonly ref: Uint8Array;
  readonly wrappedEphemeral: Uint8Array;
  /** When the code expires. */
  readonly expiresAt: number;
  finish: ((keyBundle: Uint8Array, companionIdentity: Uint8Array) => void) | null;
  refuse: (() => void) | null;
}

/** The identity a client has shown in a passkey ceremony. */
export interface ShownCompanion {
  readonly identity: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly deviceType: number;
  readonly ref: string;
  readonly commitment: Uint8Array;
}

/** A passkey ceremony: the challenge, the answer, and the pending link. */
export interface Ceremony {
  readonly phone: PhoneIdentity;
  readonly scanned: Uint8Array;
  readonly refs: Set<string>;
  readonly primary: { readonly keys: KeyPair; readonly nonce: Uint8Array };
  readonly linked: PromiseWithResolvers<Device>;
  challenge: Uint8Array;
  companion: ShownCompanion | null;
  revealed: boolean;
}

export interface Candidate {
  readonly client: Client;
  readonly registration: Registration;
  readonly refs: Map<string, number>;
  readonly replies: Map<string, (reply: BinaryNode) => void>;
  readonly whenGone: Set<() => void>;
  linkCode: LinkCodeRequest | null;
  retiredSecret: string | null;
  /** Set once the network has asked for a passkey. */
  ceremony: Ceremony | null;
  state: 'waiting' | 'pairing' | 'linked';
}

export interface PairingRegistry {
  readonly candidates: Set<Candidate>;
  readonly byRef: Map<string, Candidate>;
  readonly spent: Set<string>;
}

/** The step a client waits for from this account: entering a code, or giving the passkey. */
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

/** A code lives nine times as long as a later ref (whatsapp-rust #1163, 2026-07-28). */
const CODE_MS = 180_000;

export const codeLifeMs = ({ faults }: HubState): number =>
  faults.expireQrAfterMs === null ? CODE_MS : (CODE_MS / NEXT_REF_MS) * faults.expireQrAfterMs;

/** Closes the connection when the last ref or code expires unused. */
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

/** Sends the refs of the QRs: the first lives a minute, each further one 20 s more. */
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
