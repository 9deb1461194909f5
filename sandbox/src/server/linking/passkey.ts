/** Linking with a passkey: both sides of the ceremony for one unlinked connection. */
import type { Device, PhoneIdentity } from '../../base/types.ts';
import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { aesDecryptGCM, type BinaryNode, bytesToCrockford, proto } from 'baileys';
import { calculateAgreement, generateKeyPair } from 'whatsapp-rust-bridge';
import { typedKey } from './adv.ts';
import { assertionProblem, PASSKEY_RP_ID } from './assertion.ts';
import { type Candidate, type Ceremony, notify, type ShownCompanion } from './candidate.ts';
import { bytesOf, childOf, childrenOf, element, errorOf, resultOf } from '../../base/nodes.ts';
import type { HubState } from '../state/state.ts';

/** The link waits for the client's passkey. */
export class PasskeyAsked extends Error {
  readonly linked: Promise<Device>;

  constructor(linked: Promise<Device>) {
    super(
      'the network asks for a passkey before it links this client: the client is to answer with that of the account',
    );
    this.linked = linked;
  }
}

const PASSKEY_TIMEOUT_MS = 600_000;

const sha256 = (...parts: readonly Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();
const derive = (secret: Uint8Array, salt: string, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, Buffer.from(salt), info, 32));
const equal = (a: Uint8Array | null | undefined, b: Uint8Array): boolean => !!a && Buffer.compare(a, b) === 0;

const lifetime = ({ faults }: HubState): number => faults.passkeyTimeoutMs ?? PASSKEY_TIMEOUT_MS;

/** WebAuthn request options, as UTF-8 JSON. */
const optionsOf = (hub: HubState, { challenge }: Ceremony): BinaryNode => {
  const options = {
    challenge: Buffer.from(challenge).toString('base64url'),
    timeout: lifetime(hub),
    rpId: PASSKEY_RP_ID,
    allowCredentials: [],
    userVerification: 'required',
    extensions: { uvm: true },
  };
  return element('passkey_request_options', {}, Buffer.from(JSON.stringify(options)));
};

const newPrimary = (): Ceremony['primary'] => {
  const { pubKey, privKey } = generateKeyPair();
  return { keys: { public: pubKey.subarray(-32), private: privKey }, nonce: randomBytes(32) };
};

const endInTime = (hub: HubState, candidate: Candidate, { linked }: Ceremony): void => {
  const fail = (why: string) => (): void => linked.reject(new Error(`the passkey ceremony has ended: ${why}`));
  const timer = hub.clock.after(lifetime(hub) + 60_000, () => {
    fail('nobody has answered in time')();
    candidate.client.close(element('xmlstreamend'));
  });
  candidate.whenGone.add(fail('the connection has ended'));
  candidate.whenGone.add(() => timer.cancel());
  linked.promise.then(
    () => timer.cancel(),
    () => timer.cancel(),
  );
};

export const askForPasskey = (
  hub: HubState,
  candidate: Candidate,
  phone: PhoneIdentity,
  scanned: Uint8Array,
): never => {
  const linked = Promise.withResolvers<Device>();
  // The link has its own handler; avoid an unhandled rejection here.
  linked.promise.catch(() => undefined);
  const ceremony: Ceremony = {
    phone,
    scanned,
    refs: new Set(),
    primary: newPrimary(),
    linked,
    challenge: randomBytes(32),
    companion: null,
    revealed: false,
  };
  candidate.ceremony = ceremony;
  endInTime(hub, candidate, ceremony);
  notify(hub, candidate, 'passkey_prologue_request', optionsOf(hub, ceremony));
  throw new PasskeyAsked(linked.promise);
};

const companionOf = (payload: Uint8Array, { refs }: Ceremony): ShownCompanion | null => {
  const { companionEphemeralIdentity: identity, commitment } = proto.ProloguePayload.decode(payload);
  if (!identity || commitment?.hash?.length !== 32) return null;
  const { publicKey, deviceType, ref } = proto.CompanionEphemeralIdentity.decode(identity);
  if (publicKey?.length !== 32 || !ref || !refs.has(ref)) return null;
  return { identity, publicKey, deviceType: deviceType ?? 0, ref, commitment: commitment.hash };
};

/** The client proved that it knows the scanned secret. */
const isProven = ({ scanned }: Ceremony, payload: Uint8Array, proof: Uint8Array | null): boolean => {
  const key = derive(scanned, '', 'shortcake-passkey-handoff-v1');
  return equal(proof, createHmac('sha256', key).update(payload).digest());
};

const takePrologue = (hub: HubState, candidate: Candidate, iq: BinaryNode, ceremony: Ceremony): BinaryNode => {
  const prologue = childOf(iq, 'passkey_prologue');
  const [credentialId, json, payload, proof] = [
    'credential_id',
    'webauthn_assertion',
    'prologue_payload',
    'pairing_handoff_proof',
  ].map((tag) => bytesOf(childOf(prologue, tag)));
  const { passkey } = ceremony.phone;
  if (!credentialId || !json || !payload || passkey === undefined) return errorOf(iq, 400, 'bad-request');
  const problem = assertionProblem(passkey, ceremony.challenge, credentialId, json);
  if (problem !== null) {
    // A challenge is valid for one answer; the client can ask for another.
    ceremony.challenge = randomBytes(32);
    return errorOf(iq, 401, problem);
  }
  const companion = companionOf(payload, ceremony);
  if (companion === null) return errorOf(iq, 400, 'bad-request');
  if (proof && !isProven(ceremony, payload, proof)) return errorOf(iq, 401, 'handoff-proof-invalid');
  ceremony.companion = companion;
  const { keys, nonce } = ceremony.primary;
  const identity = proto.PrimaryEphemeralIdentity.encode({ publicKey: keys.public, nonce }).finish();
  const part = element('primary_ephemeral_identity', {}, identity);
  hub.clock.after(0, () => notify(hub, candidate, 'crsc_continuation', part));
  return resultOf(iq);
};

const takeNonce = (iq: BinaryNode, ceremony: Ceremony): BinaryNode => {
  const nonce = bytesOf(childOf(iq, 'companion_nonce'));
  const { companion, primary, phone } = ceremony;
  if (nonce === null || companion === null) return errorOf(iq, 400, 'bad-request');
  if (!equal(sha256(companion.identity, nonce), companion.commitment)) return errorOf(iq, 401, 'commitment-mismatch');
  const digest = sha256(nonce, primary.keys.public);
  const code = bytesToCrockford(Buffer.from(primary.nonce.subarray(0, 5).map((byte, at) => byte ^ digest[at]!)));
  ceremony.revealed = true;
  phone.showCode?.(`${code.slice(0, 4)}-${code.slice(4)}`);
  return resultOf(iq);
};

const open = (sealed: Uint8Array, { companion, primary }: Ceremony): proto.IPairingRequest | null => {
  const { encryptedPayload, iv } = proto.EncryptedPairingRequest.decode(sealed);
  if (!encryptedPayload || !iv || companion === null) return null;
  const shared = calculateAgreement(typedKey(companion.publicKey), primary.keys.private);
  const salt = `Companion Pairing ${companion.deviceType} with ref ${companion.ref}`;
  const key = derive(shared, salt, 'Pairing Information Encryption Key');
  try {
    return proto.PairingRequest.decode(aesDecryptGCM(encryptedPayload, key, iv, Buffer.alloc(0)));
  } catch {
    return null;
  }
};

export type Complete = (phone: PhoneIdentity, advSecret: Uint8Array) => Promise<Device>;

const takeRequest = (
  hub: HubState,
  candidate: Candidate,
  iq: BinaryNode,
  ceremony: Ceremony,
  complete: Complete,
): BinaryNode => {
  const sealed = bytesOf(childOf(iq, 'encrypted_pairing_request'));
  if (sealed === null || !ceremony.revealed) return errorOf(iq, 400, 'bad-request');
  const request = open(sealed, ceremony);
  const { noiseKey, identity } = candidate.registration;
  const ours = equal(request?.companionPublicKey, noiseKey) && equal(request?.companionIdentityKey, identity);
  const advSecret = request?.advSecret;
  if (!ours || advSecret?.length !== 32) return errorOf(iq, 401, 'pairing-request-invalid');
  hub.clock.after(0, () => {
    complete(ceremony.phone, advSecret).then(ceremony.linked.resolve, ceremony.linked.reject);
  });
  return resultOf(iq);
};

export const takePasskeyIq = (
  hub: HubState,
  candidate: Candidate,
  iq: BinaryNode,
  complete: Complete,
): BinaryNode | null => {
  const tag = childrenOf(iq)[0]?.tag ?? '';
  const { ceremony } = candidate;
  switch (tag) {
    case 'passkey_request_options':
      return ceremony === null ? errorOf(iq, 404, 'item-not-found') : resultOf(iq, [optionsOf(hub, ceremony)]);
    case 'ref': {
      if (ceremony === null) return errorOf(iq, 404, 'item-not-found');
      const ref = `3@${randomBytes(24).toString('base64')}`;
      ceremony.refs.add(ref);
      return resultOf(iq, [element('ref', {}, Buffer.from(ref))]);
    }
    case 'passkey_prologue':
      return ceremony === null ? errorOf(iq, 400, 'bad-request') : takePrologue(hub, candidate, iq, ceremony);
    case 'companion_nonce':
      return ceremony === null ? errorOf(iq, 400, 'bad-request') : takeNonce(iq, ceremony);
    case 'encrypted_pairing_request':
      return ceremony === null ? errorOf(iq, 400, 'bad-request') : takeRequest(hub, candidate, iq, ceremony, complete);
    default:
      return null;
  }
};
