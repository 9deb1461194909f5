/** Contract of the codec: the dictionaries of the protocol, as Baileys has them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DOUBLE_BYTE_TOKENS, SINGLE_BYTE_TOKENS, TAGS, TOKEN_MAP } from 'baileys/lib/WABinary/constants.js';
import { digest } from './support.ts';

test('the dictionaries of the node codec have not changed', () => {
  assert.deepEqual(
    [SINGLE_BYTE_TOKENS.length, DOUBLE_BYTE_TOKENS.map(({ length }) => length)],
    [236, [256, 256, 256, 256]],
  );
  assert.equal(digest(JSON.stringify([TAGS, SINGLE_BYTE_TOKENS, DOUBLE_BYTE_TOKENS, TOKEN_MAP])), '8ae8355eaeda');
});
