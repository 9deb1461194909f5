/** AB properties: kept with their hash, told as what has changed, and what is told badly. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BinaryNode, initAuthCreds } from 'baileys';
import { factsOf, isEnabled, learnProperties, propertiesHash } from '../../../src/whatsapp/identity/account.ts';

const scene = () => {
  const creds = initAuthCreds();
  const toldOf = (code: number): boolean | undefined => factsOf(creds).properties?.values[code];
  let writes = 0;
  const sock = { update: () => void (writes += 1) };
  const answer = (attrs: Record<string, string>, props: Record<string, string>): BinaryNode => {
    const content = Object.entries(props).map(([code, value]) => ({
      tag: 'prop',
      attrs: { config_code: code, config_value: value },
    }));
    return { tag: 'iq', attrs: {}, content: [{ tag: 'props', attrs, content }] };
  };
  return { creds, toldOf, sock, answer, writes: () => writes };
};

test('what is told is kept with its hash, holds on the next connection, and changes with what has changed', () => {
  const { creds, toldOf, sock, answer, writes } = scene();
  assert.equal(propertiesHash(creds), undefined);
  learnProperties(sock, creds, answer({ hash: 'one' }, { 14303: 'true', 24941: '0', 10518: 'false' }), undefined);
  assert.deepEqual([propertiesHash(creds), toldOf(24941), writes()], ['one', false, 1]);
  assert.deepEqual([isEnabled(creds, 10518), isEnabled(creds, 9666), isEnabled(creds, 14303)], [false, true, true]);
  // Nothing has changed.
  learnProperties(sock, creds, answer({ hash: 'one', delta_update: 'true' }, {}), 'one');
  learnProperties(sock, creds, answer({ hash: 'one' }, {}), 'one');
  assert.deepEqual([toldOf(24941), writes()], [false, 1]);
  learnProperties(sock, creds, answer({ hash: 'two', delta_update: 'true' }, { 24941: 'true' }), 'one');
  assert.deepEqual([propertiesHash(creds), toldOf(24941), toldOf(14303)], ['two', true, true]);
  // All of them once more: what is not among them is withdrawn.
  learnProperties(sock, creds, answer({ hash: 'three', delta_update: 'false' }, { 10518: '1' }), 'two');
  assert.deepEqual([toldOf(24941), toldOf(14303)], [undefined, undefined]);
  assert.deepEqual([isEnabled(creds, 10518), isEnabled(creds, 14303)], [true, false]);
});

test('names count as numbers do; no answer, one without properties and a hash without end are not kept', () => {
  const { creds, toldOf, sock, answer, writes } = scene();
  learnProperties(sock, creds, null, undefined);
  learnProperties(sock, creds, { tag: 'iq', attrs: { type: 'error' } }, undefined);
  learnProperties(sock, creds, answer({ hash: 'x'.repeat(100_000) }, { 14303: 'true' }), undefined);
  assert.deepEqual([propertiesHash(creds), writes()], [undefined, 0]);
  const named = { tag: 'prop', attrs: { name: 'wa_nct_token_send_enabled', value: 'false' } };
  const props = { tag: 'props', attrs: { hash: 'h' }, content: [named, { tag: 'prop', attrs: {} }] };
  learnProperties(sock, creds, { tag: 'iq', attrs: {}, content: [props] }, undefined);
  assert.equal(toldOf(24941), false);
});
