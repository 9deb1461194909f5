/** Our encoder of stanzas writes what Baileys' own writes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type BinaryNode, encodeBinaryNode } from 'baileys';
import fc from 'fast-check';
import { encodeNode } from '../../src/whatsapp/node-encoder.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('message', 'to', 'participants', 's.whatsapp.net', '2', 'pkmsg', '', 'image', '@s.whatsapp.net'),
  fc.stringMatching(/^[\d.-]{1,140}$/),
  fc.stringMatching(/^[\dA-F]{1,140}$/),
  fc
    .tuple(fc.nat(), fc.option(fc.nat(99)), fc.constantFrom('s.whatsapp.net', 'lid', 'g.us', 'hosted', 'hosted.lid'))
    .map(([user, device, server]) => `${user}${device === null ? '' : `:${device}`}@${server}`),
);

/** Baileys looks for `__proto__` and its like in an object of tokens, and finds something. */
const sane = text.filter((each) => !(each in {}));

const { node } = fc.letrec<{ node: BinaryNode }>((tie) => ({
  node: fc.record({
    tag: sane.filter((tag) => tag !== ''),
    attrs: fc.dictionary(sane, sane, { maxKeys: 4 }),
    content: fc.option(
      fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        sane,
        fc.uint8Array({ maxLength: 300 }),
        fc.array(tie('node'), { maxLength: 4 }),
      ),
      { nil: undefined },
    ),
  }),
}));

describe('a stanza', () => {
  it('has the bytes that Baileys gives it', () => {
    fc.assert(
      fc.property(node, (each) => assert.deepEqual(encodeNode(each), encodeBinaryNode(each))),
      { numRuns: 300 },
    );
  });

  it('may be large, and leaves room for the next one', () => {
    const content = Buffer.alloc(1 << 20, 7);
    const large: BinaryNode = { tag: 'enc', attrs: { v: '2' }, content };
    assert.deepEqual(encodeNode(large), encodeBinaryNode(large));
    const children = Array.from({ length: 300 }, (_, index) => ({ tag: 'to', attrs: { jid: `${index}@lid` } }));
    const long: BinaryNode = { tag: 'participants', attrs: {}, content: children };
    assert.deepEqual(encodeNode(long), encodeBinaryNode(long));
  });
});
