/** Linking behind a passkey, against the sandbox, which verifies every step. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Passkey, PasskeyCredential } from '../../../src/domain/passkey.ts';
import { shiftedClock } from '../../support/clock.ts';
import { eventually } from '../../support/wait.ts';
import { type Rig, startRig, type Watched } from '../driver.support.ts';

const ann = '4915100000101';

type Step<S extends Passkey['step']> = Extract<Passkey, { step: S }>;

const until = <S extends Passkey['step']>(watched: Watched, step: S, count = 1): Promise<Step<S>> =>
  eventually(`the passkey step ${step}`, () => {
    const found = watched.passkeys.filter((passkey): passkey is Step<S> => passkey.step === step);
    return found[count - 1];
  });

const passkeyPhone = async (rig: Rig): Promise<void> => {
  await rig.phones.add(ann, 'Ann');
  await rig.phones.behave(ann, { linking: 'passkey' });
};

const meetGate = async (rig: Rig): Promise<{ watched: Watched; deviceId: number; asked: Step<'response'> }> => {
  const deviceId = await rig.device();
  const watched = rig.connect(deviceId);
  const offer = await eventually('a QR', () => watched.offers[0]);
  await assert.rejects(rig.phones.scan(ann, offer.qrText), /passkey/);
  return { watched, deviceId, asked: await until(watched, 'response') };
};

/** A session that has met the gate. */
const gated = async (rig: Rig): ReturnType<typeof meetGate> => {
  await passkeyPhone(rig);
  return meetGate(rig);
};

const flipped = (text: string): string => {
  const bytes = Buffer.from(text, 'base64url');
  bytes[bytes.length - 1]! ^= 1;
  return bytes.toString('base64url');
};

const forged = (credential: PasskeyCredential): PasskeyCredential => ({
  ...credential,
  response: { ...credential.response, signature: flipped(credential.response.signature) },
});

test('driver: a passkey in time links without a code to compare', async () => {
  await using rig = await startRig();
  const { watched, deviceId, asked } = await gated(rig);
  assert.equal(asked.options.rpId, 'whatsapp.com');
  assert.equal(asked.options.userVerification, 'required');
  assert.ok(asked.handOffUntil > Date.now() + 290_000 && asked.handOffUntil <= Date.now() + 300_000);
  assert.ok(asked.expiresAt > Date.now() + 590_000);
  await watched.session.answerPasskey(await rig.phones.passkey(ann, asked.options));
  const account = await watched.opened();
  assert.equal(account.phoneNumber, ann);
  assert.ok(!watched.calls.includes('passkey confirm'));
  assert.equal((await rig.phones.get(ann)).linkedDevices.length, 1);
  await watched.session.close();
  await rig.connect(deviceId).opened();
});

test('driver: after five minutes both sides show a code, and it is the same', async () => {
  const clock = shiftedClock();
  await using rig = await startRig(clock);
  const { watched, asked } = await gated(rig);
  clock.ahead(301_000);
  await assert.rejects(watched.session.confirmPasskey(), { name: 'Conflict' });
  await watched.session.answerPasskey(await rig.phones.passkey(ann, asked.options));
  const { code } = await until(watched, 'confirm');
  assert.match(code, /^[1-9A-Z]{4}-[1-9A-Z]{4}$/);
  assert.equal((await rig.phones.get(ann)).passkeyCode, code);
  assert.deepEqual((await rig.phones.get(ann)).linkedDevices, []);
  await watched.session.confirmPasskey();
  await watched.opened();
});

test('driver: a wrong passkey is refused with the words of the network, and the right one still links', async () => {
  await using rig = await startRig();
  const { watched, asked } = await gated(rig);
  const credential = await rig.phones.passkey(ann, asked.options);
  await assert.rejects(watched.session.answerPasskey(forged(credential)), {
    name: 'InvalidRequest',
    message: 'credential: the network refused it: signature-invalid (401)',
  });
  const again = await until(watched, 'response', 2);
  assert.equal(again.refusal, 'signature-invalid (401)');
  assert.notEqual(again.options.challenge, asked.options.challenge);
  // The former challenge never reaches the network again.
  await assert.rejects(watched.session.answerPasskey(credential), /another challenge/);
  const elsewhere = await rig.phones.passkey(ann, again.options, 'https://evil.example');
  await assert.rejects(watched.session.answerPasskey(elsewhere), /origin-mismatch/);
  const third = await until(watched, 'response', 3);
  await watched.session.answerPasskey(await rig.phones.passkey(ann, third.options));
  await watched.opened();
});

test('driver: what is no credential is refused without asking the network', async () => {
  await using rig = await startRig();
  const { watched, asked } = await gated(rig);
  const credential = await rig.phones.passkey(ann, asked.options);
  const { response } = credential;
  const made = Buffer.from(JSON.stringify({ type: 'webauthn.create', challenge: asked.options.challenge }));
  for (const [wrong, message] of [
    [{ ...credential, rawId: 'a b' }, /rawId must be base64url/],
    [{ ...credential, response: { ...response, signature: '' } }, /signature must be base64url/],
    [{ ...credential, response: { ...response, clientDataJSON: 'AAAA' } }, /webauthn\.get/],
    [{ ...credential, response: { ...response, clientDataJSON: made.toString('base64url') } }, /webauthn\.get/],
  ] as const) {
    await assert.rejects(watched.session.answerPasskey(wrong), { name: 'InvalidRequest', message });
  }
  assert.equal(watched.passkeys.length, 1);
});

test('driver: nobody confirms the passkey in time', async () => {
  await using rig = await startRig();
  await rig.phones.faults({ passkeyTimeoutMs: 200 });
  const { watched } = await gated(rig);
  assert.deepEqual(await watched.closed(), { kind: 'passkey_expired' });
});

test('driver: behind a passkey the QRs wait, and do not end the pairing', async () => {
  await using rig = await startRig();
  await passkeyPhone(rig);
  await rig.phones.faults({ expireQrAfterMs: 100 });
  const { watched, asked } = await eventually('a QR that is scanned in time', () => meetGate(rig));
  // Longer than all six QRs together.
  const later = Date.now() + 900;
  await eventually('the QRs would have ended', () => Date.now() > later);
  assert.equal(watched.reason(), null);
  await watched.session.answerPasskey(await rig.phones.passkey(ann, asked.options));
  await watched.opened();
});

test('driver: a code meets the passkey gate, too', async () => {
  await using rig = await startRig();
  await rig.phones.add(ann, 'Ann');
  await rig.phones.behave(ann, { linking: 'passkey' });
  const watched = rig.connect(await rig.device(), ann);
  const { code } = await eventually('a code', () => watched.offers[0]);
  await assert.rejects(rig.phones.enterCode(ann, code!.code), /passkey/);
  const asked = await until(watched, 'response');
  await watched.session.answerPasskey(await rig.phones.passkey(ann, asked.options));
  await watched.opened();
});

test('driver: a connection that is cut in the middle of the ceremony is lost', async () => {
  await using rig = await startRig();
  const { watched, asked } = await gated(rig);
  await rig.phones.request('POST', '/drop', {});
  assert.equal((await watched.closed()).kind, 'lost');
  const credential = await rig.phones.passkey(ann, asked.options);
  await assert.rejects(watched.session.answerPasskey(credential), { name: 'Conflict' });
});
