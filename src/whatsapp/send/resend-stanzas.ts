/** Retry receipts, and the message sent again to the device that asks. */
import { type BinaryNode, getBinaryNodeChild } from '../library/nodes.ts';
import type { proto } from '../library/proto.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import type { SignalMessage } from '../signal/bridge.ts';
import { cut } from '../translate/parts/limits.ts';
import { deviceIdentity, encNode, shapeOf } from './message-stanza.ts';

export interface Asked {
  readonly id: string;
  readonly device: string;
  readonly chat: string;
  readonly isOwn: boolean;
  readonly isGroup: boolean;
  readonly count: string;
  isRenewed: boolean;
  /** Until it may leave; null before it is counted. */
  waitMs: number | null;
}

const longestName = 500;

/** Equal for a receipt that comes again. A new request has another count, or after a restart of the device another time. */
export const nameOf = (receipt: BinaryNode): string => {
  const { id, from, participant, t } = receipt.attrs;
  const { count } = getBinaryNodeChild(receipt, 'retry')?.attrs ?? {};
  return cut([from, participant, t, count, id].join(' '), longestName);
};

export const stanzaOf = (
  creds: AuthenticationCreds,
  { id, device, chat, isOwn, isGroup, count }: Asked,
  message: proto.IMessage,
  encrypted: SignalMessage,
  token: BinaryNode | null,
): BinaryNode => {
  const { type, enc, edit, meta } = shapeOf(message);
  const toPerson = { device_fanout: 'false', ...(isOwn ? { recipient: chat } : {}) };
  const to = isGroup ? { to: chat, participant: device } : { to: device };
  return {
    tag: 'message',
    attrs: { id, ...to, type, ...edit, ...(isGroup ? {} : toPerson) },
    content: [
      encNode(encrypted, { count, ...enc }),
      ...(encrypted.type === 'pkmsg' ? deviceIdentity(creds) : []),
      ...(token === null ? [] : [token]),
      ...meta,
    ],
  };
};
