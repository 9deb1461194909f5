/** Writes a change of the application state to the network. */
import { encodeSyncdPatch } from '../../engine/baileys.ts';
import { getBinaryNodeChild } from '../../engine/nodes.ts';
import { proto } from '../../engine/proto.ts';
import { HandsetError, invalidRequest } from '../../../errors.ts';
import { advance, type Advanced } from './collection.ts';
import type { Patch } from './chat-patches.ts';
import { askFor, keysOf, type QueryParts, stateOf } from './queries.ts';
import { MissingKeys } from './records.ts';

const conflict = '409';
const { SET, REMOVE } = proto.SyncdMutation.SyncdOperation;

/**
 * The collection's state with the change; null if it was changed by another device meanwhile, or was never read. Throws InvalidRequest if
 * the network refuses, RequestTimeout without an answer, MissingKeys.
 */
export const offer = async (parts: QueryParts, patch: Patch): Promise<Advanced | null> => {
  const { type: name } = patch;
  const before = await stateOf(parts, name);
  if (before === null) return null;
  const id = parts.creds.myAppStateKeyId ?? '';
  const keys = await keysOf(parts, [id]);
  const keyData = keys.get(id);
  if (keyData === undefined) throw new MissingKeys(id === '' ? [] : [id]);
  const { syncAction, apiVersion, isRemoved } = patch;
  const operation = isRemoved === true ? REMOVE : SET;
  const mutation = { type: name, syncAction, apiVersion, index: [...patch.index], operation };
  const { patch: written } = await encodeSyncdPatch(mutation, id, before, async () => ({ keyData }));
  const content = proto.SyncdPatch.encode(written).finish();
  const answer = await askFor(parts, name, before, [{ tag: 'patch', attrs: {}, content }]);
  if (answer === null) throw new HandsetError('RequestTimeout', 'Request timeout');
  if (answer.attrs['type'] === 'error') {
    const code = getBinaryNodeChild(answer, 'error')?.attrs['code'];
    if (code === conflict) return null;
    throw invalidRequest(`The network refuses the change (${code ?? 'it gives no reason'})`);
  }
  // Read like a patch of another device, which checks the resulting state and stores its content.
  const patches = [{ ...written, version: { version: before.version + 1 } }];
  return advance({ name, snapshot: null, patches, hasMore: false }, before, keys);
};
