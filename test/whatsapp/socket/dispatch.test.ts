/** Stanzas go to the handlers that name them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BinaryNode } from '../../../src/whatsapp/library/nodes.ts';
import { isUnknown, Stanzas } from '../../../src/whatsapp/socket/socket.ts';
import { strictStanzas } from './strict-stanzas.ts';

const stanza = (tag: string, attrs: BinaryNode['attrs'] = {}, ...children: string[]): BinaryNode => ({
  tag,
  attrs,
  content: children.map((child) => ({ tag: child, attrs: {} })),
});

test('by tag, type, class and first child, in the order in which they came', () => {
  const stanzas = strictStanzas();
  const heard: string[] = [];
  const note = (name: string) => (): void => void heard.push(name);
  stanzas.on('iq', note('pair-device'), { type: 'set', child: 'pair-device' });
  stanzas.on('iq', note('get'), { type: 'get' });
  stanzas.on('iq', note('any'));
  stanzas.on('ack', note('receipt'), { class: 'receipt' });
  stanzas.observers.add(note('each'));
  const told = (node: BinaryNode): string[] => {
    stanzas.dispatch(node);
    return heard.splice(0);
  };
  assert.deepEqual(told(stanza('iq', { type: 'set' }, 'pair-device')), ['each', 'pair-device', 'any']);
  assert.deepEqual(told(stanza('iq', { type: 'set' }, 'other', 'pair-device')), ['each', 'any']);
  assert.deepEqual(told(stanza('iq', { type: 'get' }, 'pair-device')), ['each', 'get', 'any']);
  assert.deepEqual(told({ tag: 'iq', attrs: { type: 'set' }, content: 'pair-device' }), ['each', 'any']);
  assert.deepEqual(told(stanza('ack', { class: 'message' })), ['each']);
  assert.deepEqual(told(stanza('ack', { class: 'receipt' })), ['each', 'receipt']);
  assert.deepEqual(told(stanza('constructor')), ['each']);
});

test('a handler that is taken away while stanzas come hears no more, and the others do', () => {
  const stanzas = strictStanzas();
  const heard: string[] = [];
  const stop = stanzas.on('ack', () => {
    heard.push('once');
    stop();
  });
  stanzas.on('ack', () => heard.push('always'));
  for (let time = 0; time < 2; time += 1) stanzas.dispatch(stanza('ack'));
  assert.deepEqual(heard, ['once', 'always', 'always']);
});

test('a handler that throws is told, and keeps the stanza from no other', () => {
  const failures: string[] = [];
  const stanzas = new Stanzas((error, { tag }) => failures.push(`${tag}: ${String(error)}`));
  const heard: string[] = [];
  stanzas.on('message', () => {
    throw new Error('no');
  });
  stanzas.on('message', ({ tag }) => heard.push(tag));
  stanzas.dispatch(stanza('message'));
  assert.deepEqual([failures, heard], [['message: Error: no'], ['message']]);
});

test('unknown is a stanza of another kind that can be acknowledged', () => {
  for (const tag of ['appdata', 'whatever', 'toString'])
    assert.equal(isUnknown(stanza(tag, { id: 'A1', from: '1@lid' })), true, tag);
  for (const tag of ['message', 'status', 'receipt', 'iq', 'ack', 'ib', 'stream:error'])
    assert.equal(isUnknown(stanza(tag, { id: 'M1', from: '1@lid' })), false, tag);
  assert.equal(isUnknown(stanza('whatever', { from: '1@lid' })), false);
  assert.equal(isUnknown(stanza('whatever', { id: 'W1' })), false);
});
