/** Packages of devices that an operator imports: large ones, and such as no installation writes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { theService } from '../../../src/domain/audit.ts';
import { sealPackage } from '../../../src/service/devices/package.ts';
import { startHttp } from '../../http/harness.ts';
import { api } from '../../support/api.ts';
import { watchTurns } from '../../support/turns.ts';

const passphrase = 'correct horse battery staple';

const packageOf = (keys: string): string =>
  `{"name":"Desk","webhookUrl":null,"webhookEvents":[],"settings":{},"account":{"jid":"4915112345678@s.whatsapp.net"},"credentials":"AAAA","keys":${keys}}`;

const manyKeys = (count: number, bytes: number): string => {
  const value = Buffer.alloc(bytes, 7).toString('base64');
  return JSON.stringify(Array.from({ length: count }, (_, n) => ({ type: 'pre-key', id: `"},{"${n}`, value })));
};

test('a package of 60 MB is imported with all its keys, in turns', async () => {
  await using http = await startHttp();
  const sealed = await sealPackage(packageOf(manyKeys(20_000, 2_200)), passphrase);
  using turns = watchTurns();
  const id = await http.service.devices.import(http.userId, sealed, passphrase, theService);
  const longest = turns.longestMs();
  const keys = await http.stores.credentials.listKeys(id);
  assert.equal(keys.filter(({ type, value }) => type === 'pre-key' && value.length === 2_200).length, 20_000);
  assert.ok(keys.some((key) => key.id === '"},{"7'));
  assert.ok(longest < 120, `a turn took ${longest.toFixed(0)} ms`);
});

test('a package that no installation has written is refused, and costs little', async () => {
  await using http = await startHttp();
  using turns = watchTurns();
  for (const keys of [
    `[${'[],'.repeat(20_000_000)}[]]`,
    `[{"type":"pre-key","id":"1","value":[${'[],'.repeat(5_000_000)}[]]}]`,
    `[{"type":"pre-key","id":"1","value":"${'A'.repeat(40_000_000)}"}]`,
    `[${'{"type":"","id":"","value":""},'.repeat(1_000_000)}{"type":"","id":"","value":""}]`,
    `[{"type":"pre-key"}]`,
    `[{"type":"pre-key","id":"1","value":""}`,
    `7`,
  ]) {
    const sealed = await sealPackage(packageOf(keys), passphrase);
    turns.longestMs();
    await assert.rejects(http.service.devices.import(http.userId, sealed, passphrase, theService), {
      name: 'InvalidRequest',
    });
    const longest = turns.longestMs();
    assert.ok(longest < 120, `a turn took ${longest.toFixed(0)} ms`);
  }
  const tooLong = await sealPackage(packageOf(`["${'A'.repeat(70_000_000)}"]`), passphrase);
  await assert.rejects(http.service.devices.import(http.userId, tooLong, passphrase, theService), {
    name: 'InvalidRequest',
  });
  assert.equal((await http.api.get('/devices')).body.devices.length, 0);
});

test('a passphrase is measured before it is normalized', async () => {
  const adminToken = 'an-admin-token-of-some-length';
  await using http = await startHttp({ adminToken });
  const admin = api(`${http.url}/admin/v1`, adminToken);
  for (const awkward of ['\u0315', '\ufdfa', 'a\u0323\u0307', '\u1100\u1161\u11a8']) {
    const body = { export: 'handset-device-1.AAAA', passphrase: awkward.repeat(65_536) };
    const before = process.cpuUsage();
    const answer = await admin.post(`/users/${http.userId}/devices`, body);
    assert.equal(answer.status, 400);
    assert.match(answer.body.status.message, /^passphrase must be a string of 12 to 1,024 characters/);
    assert.ok(process.cpuUsage(before).user < 300_000, JSON.stringify(awkward));
  }
});
