/** A group's timer from its notification, reported like that of a 1:1 chat, which is a message. */
import { type BinaryNode, getBinaryNodeChild } from '../library/nodes.ts';
import { proto } from '../library/proto.ts';
import { translateMessage } from './message.ts';
import type { MessageChanges, TranslationContext } from './acts.ts';

const noticeOf = (node: BinaryNode): BinaryNode | undefined =>
  getBinaryNodeChild(node, 'ephemeral') ?? getBinaryNodeChild(node, 'not_ephemeral');

export const isGroupTimer = (node: BinaryNode): boolean =>
  node.attrs['type'] === 'w:gp2' && noticeOf(node) !== undefined;

export const translateGroupTimer = (node: BinaryNode, context: TranslationContext): MessageChanges => {
  const seconds = Number(noticeOf(node)?.attrs['expiration'] ?? 0) || 0;
  const protocolMessage = {
    type: proto.Message.ProtocolMessage.Type.EPHEMERAL_SETTING,
    ephemeralExpiration: seconds,
    ephemeralSettingTimestamp: Number(node.attrs['t']) || Math.floor(context.now / 1_000),
  };
  return translateMessage({ tag: 'message', attrs: node.attrs }, { protocolMessage }, context);
};
