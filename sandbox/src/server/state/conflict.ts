/** The end of a stream whose device was unlinked, or is connected elsewhere now. */
import type { BinaryNode } from 'baileys';
import { element } from '../../base/nodes.ts';
import type { HubState } from './state.ts';

export const conflict = (
  { faults }: Pick<HubState, 'faults'>,
  type: 'device_removed' | 'replaced',
  attrs: Readonly<Record<string, string>> = {},
): BinaryNode => {
  const reason = faults.says.conflict;
  return element('stream:error', attrs, [element('conflict', { type, ...(reason !== null && { reason }) })]);
};
