/** Pairs of phone number and LID in stanzas: each form that tells both, and descriptions that contradict themselves. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BinaryNode } from 'baileys';
import { readGroup } from '../../../src/whatsapp/groups/read-group.ts';
import { pairsTold } from '../../../src/whatsapp/identity/people.ts';

const node = (tag: string, attrs: Record<string, string> = {}, content?: BinaryNode['content']): BinaryNode =>
  content === undefined ? { tag, attrs } : { tag, attrs, content };
const ann = '4915550000001';
const phone = (user: string): string => `${user}@s.whatsapp.net`;
const annTold = [{ phoneUser: ann, lidUser: '1' }];

test('each form of a stanza that names a person by both addresses tells a pair', () => {
  const told = (tag: string, attrs: Record<string, string>, content?: BinaryNode['content']) =>
    pairsTold(node(tag, attrs, content));
  const group = '120363025246125486@g.us';
  for (const stanza of [
    told('message', { from: '1:4@lid', sender_pn: phone(ann) }),
    told('receipt', { from: group, participant: '1:9@lid', participant_pn: `${ann}:9@s.whatsapp.net` }),
    told('receipt', { from: group }, [
      node('participants', { key: 'A' }, [node('user', { jid: '1@lid', phone_number: phone(ann) })]),
    ]),
    told('notification', { from: phone(ann), sender_lid: '1@lid', type: 'privacy_token' }),
    told('notification', { from: group, participant: '1@lid', participant_pn: phone(ann) }, [node('subject')]),
    told('notification', { from: group }, [
      node('add', {}, [node('participant', { jid: '1@lid', phone_number: phone(ann) })]),
    ]),
    told('iq', {}, [node('group', { creator: '1@lid', creator_pn: phone(ann), s_o: '1@lid', s_o_pn: phone(ann) })]),
    told('iq', {}, [node('list', {}, [node('item', { jid: '1@lid', pn_jid: phone(ann) })])]),
    told('group', {}, [node('participant', { jid: phone(ann), lid: '1@lid' })]),
  ])
    assert.deepEqual(stanza, annTold);
  assert.deepEqual(told('message', { from: group, sender_pn: phone(ann) }), []);
  assert.deepEqual(told('message', { from: '1@lid', sender_pn: '2@lid' }), []);
  assert.deepEqual(told('message', { from: '@lid', sender_pn: '' }), []);
});

test('of 1,024 members of whom two claim one number, or one LID has two numbers, the others are known', () => {
  const members = Array.from({ length: 1_024 }, (_, n) =>
    node('participant', { jid: `${1000 + n}@lid`, phone_number: phone(`49155500${10_000 + n}`) }),
  );
  members[7]!.attrs['phone_number'] = members[900]!.attrs['phone_number']!;
  members[11]!.attrs['jid'] = members[12]!.attrs['jid']!;
  const group = node('group', { id: '120', addressing_mode: 'lid' }, members);
  const pairs = pairsTold(group);
  assert.equal(pairs.length, 1_020);
  assert.equal(
    pairs.some(({ lidUser }) => ['1007', '1900', '1012'].includes(lidUser)),
    false,
  );
  const peek = (jid: string) => ({ phone: null, lid: jid });
  const shown = readGroup(group, peek, 0)!.members;
  assert.equal(shown.length, 1_024);
  assert.deepEqual(
    [7, 900, 8].map((n) => shown[n]!.person),
    [
      { jid: '1007@lid', number: null, lid: '1007@lid' },
      { jid: '1900@lid', number: null, lid: '1900@lid' },
      { jid: phone('4915550010008'), number: '4915550010008', lid: '1008@lid' },
    ],
  );
});

test('a stanza without an end is read to a bound', () => {
  let deep = node('participant', { jid: '1@lid', phone_number: phone(ann) });
  for (let n = 0; n < 5_000; n += 1) deep = node('a', {}, [deep]);
  assert.deepEqual(pairsTold(deep), []);
  const wide = Array.from({ length: 100_000 }, (_, n) =>
    node('participant', { jid: `${n + 1}@lid`, phone_number: phone(`49${n}`) }),
  );
  assert.ok(pairsTold(node('group', {}, wide)).length < 5_000);
});
