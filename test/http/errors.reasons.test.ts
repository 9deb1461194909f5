/** The header `Handset-Reason` of errors (docs/http.md, Reasons). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { reasons } from '../../src/errors.ts';
import type { Answer } from '../support/api.ts';
import { withHttp } from './harness.ts';

const number = '4915112345678';
const text = { toNumber: number, message: 'Hello' };

test(
  'Handset-Reason tells causes of one code apart',
  withHttp(async (http) => {
    const id = await http.linked();
    const reasonOf = ({ headers }: Answer): string | null => headers.get('handset-reason');
    const texts = `/devices/${id}/messages/text`;
    assert.equal(reasonOf(await http.api.get('/nothing')), 'route_not_found');
    assert.equal(reasonOf(await http.api.get('/devices/999999')), 'device_not_found');
    assert.equal(reasonOf(await http.api.get(`/devices/${id}/messages/X`)), 'not_found');
    assert.equal(reasonOf(await http.api.call('PATCH', '/devices')), 'method_not_allowed');
    assert.equal(reasonOf(await http.api.post(texts, { toNumber: '1', message: 'Hello' })), 'invalid_request');
    assert.equal(reasonOf(await http.api.post(texts, undefined, { raw: '{' })), 'invalid_json');
    assert.equal(reasonOf(await http.api.post(`/devices/${await http.device()}/messages/text`, text)), 'not_linked');
    await http.api.post('/suppressions', { number });
    assert.equal(reasonOf(await http.api.post(texts, text)), 'opted_out');
    const guide = readFileSync(new URL('../../docs/http.md', import.meta.url), 'utf8');
    for (const [word, meaning] of Object.entries(reasons))
      assert.ok(guide.includes(`| \`${word}\` | ${meaning} |`), word);
  }),
);
