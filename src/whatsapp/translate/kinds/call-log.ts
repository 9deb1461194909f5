/** Calls as the chat remembers them, and calls that a business offers by a button. */
import type { Kinds } from '../parts/kind.ts';

export const callLogKinds: Kinds = {
  callLogMesssage: () => ({ type: 'callLog' }),
  bcallMessage: ({ bcallMessage: call }) => ({ type: 'callLog', text: call!.caption }),
};
