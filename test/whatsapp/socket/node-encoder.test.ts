/** Our encoder of stanzas writes what Baileys' own writes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type BinaryNode, encodeBinaryNode } from 'baileys';
import fc from 'fast-check';
import { nodeWriter } from '../../../src/whatsapp/socket/node-encoder.ts';
import { node } from '../../support/stanzas.ts';

describe('a stanza', () => {
  it('has the bytes that Baileys gives it', () => {
    fc.assert(
      fc.property(node, (each) => assert.deepEqual(nodeWriter.encode(each), encodeBinaryNode(each))),
      { numRuns: 300 },
    );
  });

  it('may be large, and leaves room for the next one', () => {
    const content = Buffer.alloc(1 << 20, 7);
    const large: BinaryNode = { tag: 'enc', attrs: { v: '2' }, content };
    assert.deepEqual(nodeWriter.encode(large), encodeBinaryNode(large));
    const children = Array.from({ length: 300 }, (_, index) => ({ tag: 'to', attrs: { jid: `${index}@lid` } }));
    const long: BinaryNode = { tag: 'participants', attrs: {}, content: children };
    assert.deepEqual(nodeWriter.encode(long), encodeBinaryNode(long));
  });
});
