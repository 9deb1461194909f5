/** Linking as the network has it now: QRs that are replaced, codes that fail late, links that break off. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../support/wait.ts';
import { startRig } from '../driver.support.ts';

const ann = '4915100000201';

for (const form of ['companion_reg_refresh', 'pair-device-rotate-qr'] as const) {
  test(`driver: ${form} retires the secret of the QR that is shown, and only the new one links`, async () => {
    await using rig = await startRig();
    await rig.phones.add(ann, 'Ann');
    await rig.phones.faults({ rotateQr: form });
    const watched = rig.connect(await rig.device());
    const first = await eventually('a QR', () => watched.offers[0]);
    await assert.rejects(rig.phones.scan(ann, first.qrText), /new QR/);
    const second = await eventually('another QR', () => watched.offers[1]);
    const fieldsOf = (text: string): string[] => text.split('#')[1]!.split(',');
    const [before, after] = [fieldsOf(first.qrText), fieldsOf(second.qrText)];
    assert.notEqual(after.at(-2), before.at(-2), 'the secret is another one');
    assert.deepEqual(after.toSpliced(-2, 1), before.toSpliced(-2, 1), 'all else, the ref too, is as it was');
    assert.equal(second.qrExpiresAt, first.qrExpiresAt);
    await assert.rejects(rig.phones.scan(ann, first.qrText), /replaced/);
    await rig.phones.scan(ann, second.qrText);
    await watched.opened();
  });
}

test('driver: in the middle of a link by code the rotation waits, and the link goes through', async () => {
  await using rig = await startRig();
  await rig.phones.add(ann, 'Ann');
  await rig.phones.behave(ann, { linking: 'refresh' });
  const watched = rig.connect(await rig.device(), ann);
  const { code } = await eventually('a code', () => watched.offers[0]);
  await rig.phones.enterCode(ann, code!.code);
  await watched.opened();
});

test('driver: a rotation that waited is done when the code has failed', async () => {
  await using rig = await startRig();
  await rig.phones.add(ann, 'Ann');
  await rig.phones.faults({ rotateQr: true, refuseCode: { at: 'finish', code: 400 } });
  const watched = rig.connect(await rig.device(), ann);
  const first = await eventually('a code', () => watched.offers[0]);
  await assert.rejects(rig.phones.enterCode(ann, first.code!.code), /refused/);
  const second = await eventually('an offer without the code', () => watched.offers.find(({ code }) => code === null));
  assert.deepEqual(second.codeRefusal, { detail: 'bad-request (400)', unknownNumber: false });
  assert.notEqual(second.qrText, first.qrText);
  await rig.phones.faults({});
  await rig.phones.scan(ann, second.qrText);
  await watched.opened();
});

test('driver: a code that the network refuses is never offered, and the QR beside it is', async () => {
  await using rig = await startRig();
  await rig.phones.add(ann, 'Ann');
  await rig.phones.faults({ refuseCode: { at: 'hello', code: 429 } });
  const watched = rig.connect(await rig.device(), ann);
  const offer = await eventually('an offer', () => watched.offers[0]);
  assert.equal(offer.code, null);
  assert.deepEqual(offer.codeRefusal, { detail: 'rate-overlimit (429)', unknownNumber: false });
  await rig.phones.scan(ann, offer.qrText);
  await watched.opened();
});

test('driver: a code for a number that nobody has', async () => {
  await using rig = await startRig();
  const watched = rig.connect(await rig.device(), '4915109999999');
  const offer = await eventually('an offer', () => watched.offers[0]);
  assert.equal(offer.code, null);
  assert.equal(offer.codeRefusal?.unknownNumber, true);
});

test('driver: a wrong code on the phone does not spoil the right one', async () => {
  await using rig = await startRig();
  await rig.phones.add(ann, 'Ann');
  const watched = rig.connect(await rig.device(), ann);
  const { code } = await eventually('a code', () => watched.offers[0]);
  await assert.rejects(rig.phones.enterCode(ann, 'ZZZZZZZZ'), /wrong/);
  await rig.phones.enterCode(ann, code!.code);
  await watched.opened();
});

test('driver: each ref has its time, the code stays the same meanwhile, and the pairing ends with the code', async () => {
  await using rig = await startRig();
  await rig.phones.add(ann, 'Ann');
  await rig.phones.faults({ expireQrAfterMs: 60 });
  const watched = rig.connect(await rig.device(), ann);
  const offer = await eventually('a code', () => watched.offers[0]);
  assert.ok(offer.code!.expiresAt - Date.now() > 150_000);
  assert.deepEqual(await watched.closed(), { kind: 'pairing_expired' });
});

test('driver: a code outlives the QR refs, and links after the last of them', async () => {
  await using rig = await startRig();
  await rig.phones.add(ann, 'Ann');
  await rig.phones.faults({ expireQrAfterMs: 500 });
  const watched = rig.connect(await rig.device(), ann);
  const { code, qrText } = await eventually('a code', () => watched.offers[0]);
  const begun = performance.now();
  await eventually('the end of the refs', () => performance.now() - begun > 3_200);
  await assert.rejects(rig.phones.scan(ann, qrText), /expired/);
  await rig.phones.enterCode(ann, code!.code);
  await watched.opened();
});

test('driver: links that break off end as lost, or linked', async () => {
  await using rig = await startRig();
  await rig.phones.add(ann, 'Ann');
  for (const [at, before] of [
    ['scan', 'lost'],
    ['restart', 'lost'],
  ] as const) {
    await rig.phones.faults({ breakPairing: at });
    const watched = rig.connect(await rig.device());
    const { qrText } = await eventually('a QR', () => watched.offers[0]);
    await assert.rejects(rig.phones.scan(ann, qrText), /ended/);
    assert.equal((await watched.closed()).kind, before);
  }
  // The phone has confirmed, only the goodbye is missing.
  await rig.phones.faults({ breakPairing: 'linked' });
  const watched = rig.connect(await rig.device());
  await rig.phones.scan(ann, (await eventually('a QR', () => watched.offers[0])).qrText);
  await watched.opened();
});

test('driver: a confirmation under another secret is refused with not-authorized, which the phone is told at once', async () => {
  await using rig = await startRig();
  await rig.phones.add(ann, 'Ann');
  const watched = rig.connect(await rig.device());
  const { qrText } = await eventually('a QR', () => watched.offers[0]);
  const parts = qrText.split(',');
  parts[3] = Buffer.alloc(32, 7).toString('base64');
  await assert.rejects(rig.phones.scan(ann, parts.join(',')), /the client refused the link \(not-authorized 401\)/);
  const reason = await watched.closed();
  assert.deepEqual(reason, { kind: 'pairing_failed', detail: 'Invalid account signature' });
});
