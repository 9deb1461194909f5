/** Names and texts that would show nothing are refused in words, whatever they are made of. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isVisible } from '../../src/domain/visible.ts';
import { withHttp } from '../http/harness.ts';

/** Marks of direction, zero-width characters, fillers, tags, annotations, an empty cell of braille, controls. */
const invisible = [
  ' ',
  '\u00a0',
  '\u200e',
  '\u200b\u200d\u2060',
  '\u202e\u2066',
  '\u061c',
  '\u00ad',
  '\u3164',
  '\uffa0',
  '\ufe0f',
  '\u{e0041}',
  '\ufffb',
  '\u2800 ',
  '\u0007',
  '\u200e'.repeat(25),
];

test('what shows something is visible, also among what does not', () => {
  for (const text of invisible) assert.equal(isVisible(text), false, JSON.stringify(text));
  for (const text of ['a', '\u200e-\u200e', '👩‍👩‍👧', '❤️', 'שלום', '\u0601', '\uf8ff', '\u0301', '\u{1fae9}'])
    assert.equal(isVisible(text), true, JSON.stringify(text));
});

test(
  'nothing invisible is a name, a subject or a text',
  withHttp(async ({ api, linked }) => {
    const device = `/devices/${await linked()}`;
    const group = '120363025246125486@g.us';
    const toNumber = '4915112345678';
    const place = { toNumber, latitude: 1, longitude: 1 };
    const card = { name: 'Bob', numbers: [toNumber] };
    const cases: readonly (readonly ['post' | 'put', string, (text: string) => object, number | null, string])[] = [
      ['post', '/devices', (name) => ({ name }), 100, 'name'],
      ['put', device, (name) => ({ name }), 100, 'name'],
      ['post', '/keys', (name) => ({ name }), 100, 'name'],
      ['put', `${device}/settings`, (text) => ({ stopWords: [text] }), null, 'stopWords'],
      ['put', `${device}/profile`, (name) => ({ name }), 25, 'name'],
      ['put', `${device}/contacts/${toNumber}`, (name) => ({ name }), 100, 'name'],
      ['post', `${device}/labels`, (name) => ({ name }), 100, 'name'],
      ['put', `${device}/labels/1`, (name) => ({ name }), 100, 'name'],
      ['post', `${device}/groups`, (subject) => ({ subject, members: [] }), 100, 'subject'],
      ['put', `${device}/groups/${group}`, (subject) => ({ subject }), 100, 'subject'],
      ['post', `${device}/communities`, (subject) => ({ subject }), 100, 'subject'],
      ['post', `${device}/channels`, (name) => ({ name, acceptTerms: true }), 100, 'name'],
      ['put', `${device}/channels/1@newsletter`, (name) => ({ name }), 100, 'name'],
      ['post', `${device}/channels/1@newsletter/messages`, (message) => ({ message }), 65_536, 'message'],
      ['post', `${device}/status`, (text) => ({ text, audience: 'contacts' }), 700, 'text'],
      ['post', `${device}/messages/location`, (name) => ({ ...place, name }), 1_024, 'name'],
      ['post', `${device}/messages/location`, (address) => ({ ...place, address }), 1_024, 'address'],
      ['post', `${device}/messages/contact`, (name) => ({ toNumber, contacts: [{ ...card, name }] }), null, 'contacts'],
      ['post', `${device}/messages/poll`, (question) => ({ toNumber, question, options: ['a', 'b'] }), 255, 'question'],
      ['post', `${device}/messages/poll`, (one) => ({ toNumber, question: '?', options: ['a', one] }), null, 'options'],
    ];
    for (const [method, path, body, longest, member] of cases)
      for (const text of invisible) {
        const { status, body: refusal } = await api[method](path, body(text));
        const { message } = refusal.status;
        assert.equal(status, 400, `${method} ${path} ${JSON.stringify(text)}: ${JSON.stringify(refusal)}`);
        const range = longest === null ? '' : `a string of 1 to ${longest.toLocaleString('en')} characters, at least `;
        assert.ok(message.startsWith(`${member} must be ${range}`) && message.includes('visible'), message);
      }
    const found = await api.get(`${device}/messages?q=%E2%80%8E`);
    assert.equal(found.body.status.message, 'q must be 1 to 200 characters, at least one of them visible');
    assert.deepEqual((await api.get('/devices')).body.devices.length, 1);
  }),
);
