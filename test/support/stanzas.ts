/** Stanzas of every shape, for code that must treat them like Baileys. */
import type { BinaryNode } from 'baileys';
import fc from 'fast-check';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('message', 'to', 'participants', 's.whatsapp.net', '2', 'pkmsg', '', 'image', '@s.whatsapp.net'),
  fc.stringMatching(/^[\d.-]{1,140}$/),
  fc.stringMatching(/^[\dA-F]{1,140}$/),
  fc
    .tuple(fc.nat(), fc.option(fc.nat(99)), fc.constantFrom('s.whatsapp.net', 'lid', 'g.us', 'hosted', 'hosted.lid'))
    .map(([user, device, server]) => `${user}${device === null ? '' : `:${device}`}@${server}`),
);

/** Baileys looks `__proto__` and the like up in a plain object, and finds something. */
const sane = text.filter((each) => !(each in {}));

export const { node } = fc.letrec<{ node: BinaryNode }>((tie) => ({
  node: fc.record(
    {
      tag: sane.filter((tag) => tag !== ''),
      attrs: fc.dictionary(sane, sane, { maxKeys: 4 }),
      content: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        sane,
        fc.uint8Array({ maxLength: 300 }),
        fc.array(tie('node'), { maxLength: 4 }),
      ),
    },
    { requiredKeys: ['tag', 'attrs'] },
  ),
}));
