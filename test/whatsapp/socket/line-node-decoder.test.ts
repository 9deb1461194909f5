/** Our decoder of stanzas reads what Baileys' own reads. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import { type BinaryNode, decodeBinaryNode, encodeBinaryNode } from 'baileys';
import fc from 'fast-check';
import { nodeReader } from '../../../src/whatsapp/socket/node-decoder.ts';
import { node } from '../../support/stanzas.ts';

const seed = 11;

/** Null where it throws. */
const engineReads = (bytes: Buffer): Promise<BinaryNode | null> => decodeBinaryNode(bytes).catch(() => null);
const weRead = (bytes: Buffer): BinaryNode | null => {
  try {
    return nodeReader.decode(bytes);
  } catch {
    return null;
  }
};

describe('the bytes of a stanza', () => {
  it('are read as Baileys reads them', async () => {
    await fc.assert(
      fc.asyncProperty(node, async (each) => {
        const bytes = encodeBinaryNode(each);
        assert.deepEqual(nodeReader.decode(bytes), await decodeBinaryNode(bytes));
      }),
      { numRuns: 300, seed },
    );
  });

  it('are read compressed, too', async () => {
    const plain = encodeBinaryNode({ tag: 'iq', attrs: { id: '1' }, content: [{ tag: 'list', attrs: {} }] });
    const bytes = Buffer.concat([Buffer.from([2]), deflateSync(plain.subarray(1))]);
    assert.deepEqual(nodeReader.decode(bytes), await decodeBinaryNode(bytes));
  });

  it('of every kind of JID', async () => {
    const text = (value: string) => [0xfc, value.length, ...Buffer.from(value)];
    const jids = [
      [0xfa, ...text('4915550000001'), 3],
      [0xfa, 0, ...text('g.us')],
      [0xf7, 0, 3, ...text('4915550000001')],
      [0xf7, 1, 0, ...text('100001')],
      [0xf7, 128, 99, ...text('4915550000001')],
      [0xf7, 129, 99, ...text('100001')],
      [0xf7, 7, 1, ...text('1')],
      [0xf6, ...text('12'), 1, 2, ...text('msgr')],
      [0xf5, ...text('12'), 0, 2, 0, 9, ...text('interop')],
      [0xf5, ...text('12'), 0, 2, 0, 9],
    ];
    for (const jid of jids) {
      const bytes = Buffer.from([0, 0xf8, 2, ...text('to'), ...jid]);
      assert.deepEqual(nodeReader.decode(bytes), await decodeBinaryNode(bytes));
    }
  });

  it('of JIDs that came before, and of some that begin like them', async () => {
    const servers = [[3], [0xfc, 3, ...Buffer.from('lid')], [0xec, 0], [0], [0xfe], []];
    const jid = fc.tuple(
      fc.array(fc.constantFrom(0x00, 0x12, 0x1f, 0xf1), { maxLength: 3 }),
      fc.constantFrom(...servers),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(jid, fc.nat(3)), { minLength: 1, maxLength: 6 }), async (jids) => {
        for (const [[digits, server], more] of jids) {
          const odd = digits.at(-1) === 0x1f ? 0x80 : 0;
          const rest = Array.from({ length: more }, () => 3);
          const bytes = Buffer.from([
            0,
            0xf8,
            2,
            0xfc,
            1,
            0x61,
            0xfa,
            0xff,
            digits.length | odd,
            ...digits,
            ...server,
            ...rest,
          ]);
          const read = weRead(bytes);
          if (read !== null) assert.deepEqual(read, await engineReads(bytes));
          assert.deepEqual(weRead(bytes), read, 'the same again');
        }
      }),
      { numRuns: 300, seed },
    );
  });

  it('that are damaged are no stanza, or the one that Baileys reads', async () => {
    const damaged = fc.tuple(node, fc.nat(), fc.nat(255), fc.nat(20));
    await fc.assert(
      fc.asyncProperty(damaged, async ([each, where, value, cut]) => {
        const bytes = encodeBinaryNode(each);
        // The first byte says whether it is compressed.
        bytes[1 + (where % (bytes.length - 1))] = value;
        const rest = bytes.subarray(0, Math.max(1, bytes.length - cut));
        const read = weRead(rest);
        if (read !== null) assert.deepEqual(read, await engineReads(rest));
      }),
      { numRuns: 500, seed },
    );
  });

  it('that are none at all are refused', () => {
    for (const bytes of [[], [0], [0, 0], [0, 0xf8], [0, 0xf8, 0], [0, 0xf8, 1, 0], [2, 1, 2, 3]]) {
      assert.throws(() => nodeReader.decode(Buffer.from(bytes)));
    }
  });

  it('that unpack to more than any stanza has are refused before they do', () => {
    const bytes = Buffer.concat([Buffer.from([2]), deflateSync(Buffer.alloc(2 ** 24))]);
    assert.ok(bytes.length < 20_000);
    assert.throws(() => nodeReader.decode(bytes), { code: 'ERR_BUFFER_TOO_LARGE' });
  });

  it('that have millions of others in them are refused', () => {
    // A list of a tag and a content, which is a list of 65,535 lists of a tag.
    const list = Buffer.concat([
      Buffer.from([0xf8, 2, 3, 0xf9, 0xff, 0xff]),
      Buffer.alloc(3 * 65_535, '\xf8\x01\x03', 'latin1'),
    ]);
    const lists = Buffer.concat([Buffer.from([0xf8, 2, 3, 0xf8, 80]), ...Array.from({ length: 80 }, () => list)]);
    const bytes = Buffer.concat([Buffer.from([2]), deflateSync(lists)]);
    assert.ok(bytes.length < 20_000);
    assert.throws(() => nodeReader.decode(bytes), /too many nodes/);
  });

  it('that hold one another without end are refused', () => {
    // A list of a tag and a content, which is a list of one such list.
    const nested = Buffer.concat(Array.from({ length: 200_000 }, () => Buffer.from([0xf8, 2, 3, 0xf8, 1])));
    assert.throws(() => nodeReader.decode(Buffer.concat([Buffer.from([0]), nested])), RangeError);
  });
});
