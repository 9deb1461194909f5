/** Linking by an 8-character code: both sides prove that they know it without sending it. */
import { hkdfSync, pbkdf2 as pbkdf2Callback, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { aesDecryptCTR, aesDecryptGCM, aesEncryptCTR, type BinaryNode } from 'baileys';
import { calculateAgreement, generateKeyPair } from 'whatsapp-rust-bridge';
import type { Device, PhoneIdentity } from '../../base/types.ts';
import { typedKey } from './adv.ts';
import { type Candidate, codeLifeMs, type LinkCodeRequest, type PairingRegistry } from './candidate.ts';
import { bytesOf, childOf, element, errorOf, resultOf, textOf } from '../../base/nodes.ts';
import { notify } from './candidate.ts';
import { claim, link, rotateQrMeanwhile } from './pairing.ts';
import type { HubState } from '../state/state.ts';

const pbkdf2 = promisify(pbkdf2Callback);
const CODE_ROUNDS = 2 << 16;
const FINISH_MS = 30_000;

const WRONG_CODE = 'this code is wrong';

const codeKey = (code: string, salt: Uint8Array): Promise<Buffer> => pbkdf2(code, salt, CODE_ROUNDS, 32, 'sha256');

const agree = (publicKey: Uint8Array, privateKey: Uint8Array): Uint8Array =>
  calculateAgreement(typedKey(publicKey), privateKey);

const expand = (secret: Uint8Array, salt: Uint8Array, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, 32));

/** 32 bytes of salt, 16 of counter, then the encrypted key. */
const unwrap = async (code: string, wrapped: Uint8Array): Promise<Buffer> => {
  const key = await codeKey(code, wrapped.subarray(0, 32));
  return aesDecryptCTR(wrapped.subarray(48, 80), key, wrapped.subarray(32, 48));
};

const wrap = async (code: string, publicKey: Uint8Array): Promise<Buffer> => {
  const [salt, counter] = [randomBytes(32), randomBytes(16)];
  return Buffer.concat([salt, counter, aesEncryptCTR(publicKey, await codeKey(code, salt), counter)]);
};

/** `Browser (System)`: the network accepts common ones only. */
const STANDARD_IDENTITY = /^(Chrome|Edge|Firefox|IE|Opera|Safari) \((Windows|Mac OS|Linux|Ubuntu|Chrome OS)\)$/;

const isPlainNonce = (hello: BinaryNode): boolean => {
  const nonce = bytesOf(childOf(hello, 'link_code_pairing_nonce'));
  // Baileys sends the digit, the network's own client the byte.
  return nonce?.length === 1 && (nonce[0] === 0 || nonce[0] === 0x30);
};

const refusalAt = ({ faults }: HubState, at: 'hello' | 'finish', iq: BinaryNode): BinaryNode | null => {
  if (faults.refuseCode?.at !== at) return null;
  const { code } = faults.refuseCode;
  return errorOf(iq, code, code === 429 ? 'rate-overlimit' : code === 404 ? 'item-not-found' : 'bad-request');
};

const takeHello = (hub: HubState, candidate: Candidate, iq: BinaryNode, hello: BinaryNode): BinaryNode => {
  const account = hub.registry.find(hello.attrs.jid);
  const wrappedEphemeral = bytesOf(childOf(hello, 'link_code_pairing_wrapped_companion_ephemeral_pub'));
  const refused = refusalAt(hub, 'hello', iq);
  if (refused !== null) return refused;
  const display = textOf(childOf(hello, 'companion_platform_display')) ?? '';
  if (!STANDARD_IDENTITY.test(display) || !isPlainNonce(hello)) return errorOf(iq, 400, 'bad-request');
  if (wrappedEphemeral?.length !== 80) return errorOf(iq, 400, 'bad-request');
  if (account === null) return errorOf(iq, 404, 'item-not-found');
  const ref = randomBytes(32);
  const expiresAt = hub.clock.now() + codeLifeMs(hub);
  candidate.linkCode = { number: account.number, ref, wrappedEphemeral, expiresAt, finish: null, refuse: null };
  return resultOf(iq, [
    element('link_code_companion_reg', { stage: 'companion_hello' }, [element('link_code_pairing_ref', {}, ref)]),
  ]);
};

const takeFinish = (hub: HubState, candidate: Candidate, iq: BinaryNode, finish: BinaryNode): BinaryNode => {
  const refused = refusalAt(hub, 'finish', iq);
  if (refused !== null) {
    candidate.linkCode?.refuse?.();
    return refused;
  }
  const bundle = bytesOf(childOf(finish, 'link_code_pairing_wrapped_key_bundle'));
  const identity = bytesOf(childOf(finish, 'companion_identity_public'));
  const take = candidate.linkCode?.finish ?? null;
  if (bundle === null || identity === null || take === null) return errorOf(iq, 400, 'bad-request');
  take(bundle, identity);
  return resultOf(iq);
};

export const takeLinkCode = (hub: HubState, candidate: Candidate, iq: BinaryNode): BinaryNode => {
  const registration = childOf(iq, 'link_code_companion_reg');
  if (registration?.attrs.stage === 'companion_hello') return takeHello(hub, candidate, iq, registration);
  if (registration?.attrs.stage === 'companion_finish') return takeFinish(hub, candidate, iq, registration);
  return errorOf(iq, 400, 'bad-request');
};

interface KeyBundle {
  readonly bundle: Uint8Array;
  readonly identity: Uint8Array;
}

const sayHello = (
  hub: HubState,
  candidate: Candidate,
  request: LinkCodeRequest,
  identity: Uint8Array,
  wrapped: Uint8Array,
): Promise<KeyBundle> => {
  const { promise, resolve, reject } = Promise.withResolvers<KeyBundle>();
  const fail = (why: string) => (): void => reject(new Error(why));
  const gone = fail('the client ended its connection while it was being linked');
  const timer = hub.clock.after(FINISH_MS, fail('the client did not answer in time'));
  candidate.whenGone.add(gone);
  request.refuse = fail('the network refused the link by code');
  request.finish = (bundle, companion) => resolve({ bundle, identity: companion });
  const content = [
    element('link_code_pairing_wrapped_primary_ephemeral_pub', {}, wrapped),
    element('primary_identity_pub', {}, identity),
    element('link_code_pairing_ref', {}, request.ref),
  ];
  notify(
    hub,
    candidate,
    'link_code_companion_reg',
    element('link_code_companion_reg', { stage: 'primary_hello' }, content),
  );
  return promise.finally(() => {
    timer.cancel();
    request.finish = null;
    request.refuse = null;
    candidate.whenGone.delete(gone);
  });
};

/** From a key bundle that opens only if both sides have the same code. */
const advSecretOf = (phone: PhoneIdentity, shared: Uint8Array, { bundle, identity }: KeyBundle): Buffer => {
  const key = expand(shared, bundle.subarray(0, 32), 'link_code_pairing_key_bundle_encryption_key');
  let plain: Buffer;
  try {
    plain = aesDecryptGCM(bundle.subarray(44), key, bundle.subarray(32, 44), Buffer.alloc(0));
  } catch {
    throw new Error(WRONG_CODE);
  }
  if (Buffer.compare(plain.subarray(0, 32), identity) !== 0) throw new Error(WRONG_CODE);
  if (Buffer.compare(plain.subarray(32, 64), phone.identity.public) !== 0) throw new Error(WRONG_CODE);
  const secret = Buffer.concat([shared, agree(identity, phone.identity.private), plain.subarray(64, 96)]);
  return expand(secret, new Uint8Array(0), 'adv_secret');
};

const requestFor = (pairings: PairingRegistry, number: string): [Candidate, LinkCodeRequest] => {
  const found = [...pairings.candidates].toReversed().find(({ linkCode }) => linkCode?.number === number);
  if (found === undefined || found.linkCode === null) throw new Error('no pairing code was asked for this number');
  return [found, found.linkCode];
};

export const pairByCode = async (
  hub: HubState,
  pairings: PairingRegistry,
  phone: PhoneIdentity,
  text: string,
): Promise<Device> => {
  const code = text.toUpperCase().replaceAll(/[\s-]/g, '');
  if (code.length !== 8) throw new Error('a pairing code has 8 characters');
  const [candidate, request] = requestFor(pairings, phone.account.number);
  if (hub.clock.now() >= request.expiresAt) throw new Error('this pairing code has expired');
  return claim(candidate, async () => {
    const ephemeral = generateKeyPair();
    const [companionEphemeral, wrapped] = await Promise.all([
      unwrap(code, request.wrappedEphemeral),
      wrap(code, ephemeral.pubKey.subarray(-32)),
    ]);
    const answered = sayHello(hub, candidate, request, phone.identity.public, wrapped);
    rotateQrMeanwhile(hub, candidate, phone);
    const answer = await answered;
    if (Buffer.compare(answer.identity, candidate.registration.identity) !== 0) throw new Error(WRONG_CODE);
    const shared = agree(companionEphemeral, ephemeral.privKey);
    return link(hub, candidate, phone, advSecretOf(phone, shared, answer));
  });
};
