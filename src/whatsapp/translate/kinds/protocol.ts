/** Messages about the chat or another message that are not encrypted once more: revokes, edits, timers, what the phone hands over. */
import { proto } from '../../engine/proto.ts';
import type { Action } from '../action.ts';
import { plainId } from '../parts/envelope.ts';
import { countOrNull } from '../parts/kind.ts';

const { Type } = proto.Message.ProtocolMessage;

const resentMessages = (
  response: proto.Message.IPeerDataOperationRequestResponseMessage | null | undefined,
): Action | null => {
  const messages = (response?.peerDataOperationResult ?? [])
    .map((result) => result.placeholderMessageResendResponse?.webMessageInfoBytes)
    .filter((bytes) => bytes !== null && bytes !== undefined)
    .map((bytes) => proto.WebMessageInfo.decode(bytes));
  return messages.length === 0 ? null : { kind: 'resent', messages };
};

/** Null: keys, settings, history, nothing that a person said or did. */
export const protocolAction = (protocol: proto.Message.IProtocolMessage): Action | null => {
  const messageId = protocol.key?.id ? plainId(protocol.key.id) : null;
  switch (protocol.type) {
    case Type.REVOKE:
      return messageId && protocol.key ? { kind: 'revoke', messageId, key: protocol.key } : null;
    case Type.MESSAGE_EDIT:
      return messageId ? { kind: 'edit', messageId, message: protocol.editedMessage ?? {} } : null;
    case Type.EPHEMERAL_SETTING:
      return {
        kind: 'timer',
        expiresInSeconds: countOrNull(protocol.ephemeralExpiration),
        setAt: countOrNull(protocol.ephemeralSettingTimestamp),
      };
    case Type.PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE:
      return resentMessages(protocol.peerDataOperationRequestResponseMessage);
    default:
      return null;
  }
};
