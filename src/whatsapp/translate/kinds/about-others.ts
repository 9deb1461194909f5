/** Messages about the chat or another message: revokes, edits, timers, reactions, resent messages, sealed updates (`message-updates/sealed.ts`). */
import { proto } from '../../library/proto.ts';
import { countOrNull, cutOrNull } from '../parts/limits.ts';
import type { Action, EncryptedUpdate } from '../parts/kind.ts';
import { plainId } from '../parts/envelope.ts';

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

/** Several emoji joined into one. */
const maxReaction = 64;

export const reactionAction = ({ key, text }: proto.Message.IReactionMessage): Action | null =>
  key?.id ? { kind: 'reaction', messageId: plainId(key.id), reaction: cutOrNull(text, maxReaction) } : null;

const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.Message.PinInChatMessage.Type;

export const pinAction = ({ key, type }: proto.Message.IPinInChatMessage): Action | null =>
  key?.id && (type === PIN_FOR_ALL || type === UNPIN_FOR_ALL)
    ? { kind: 'pin', messageId: plainId(key.id), pinned: type === PIN_FOR_ALL }
    : null;

const gcmIvBytes = 12;
const gcmTagBytes = 16;

interface Fields {
  readonly encIv?: Uint8Array | null;
  readonly encPayload?: Uint8Array | null;
}

const update = (
  use: EncryptedUpdate['use'],
  key: proto.IMessageKey | null | undefined,
  { encIv: iv, encPayload: payload }: Fields,
): Action | null => {
  if (!key?.id || iv?.length !== gcmIvBytes || !payload || payload.length < gcmTagBytes) return null;
  return { kind: 'encryptedUpdate', use, messageId: plainId(key.id), iv, payload };
};

/** By number; the engine's protobufs lack the last one (whatsmeow WAWebProtobufsE2E, 2026-07). */
const editUses = new Map<number | null | undefined, EncryptedUpdate['use']>([
  [proto.Message.SecretEncryptedMessage.SecretEncType.EVENT_EDIT, 'eventEdit'],
  [proto.Message.SecretEncryptedMessage.SecretEncType.MESSAGE_EDIT, 'edit'],
  [3, 'pollEdit'],
]);

export const isKnownEdit = ({ secretEncType }: proto.Message.ISecretEncryptedMessage): boolean =>
  editUses.has(secretEncType);

export const secretEdit = (edit: proto.Message.ISecretEncryptedMessage): Action | null => {
  const use = editUses.get(edit.secretEncType);
  return use === undefined ? null : update(use, edit.targetMessageKey, edit);
};

export const encryptedReaction = (reaction: proto.Message.IEncReactionMessage): Action | null =>
  update('reaction', reaction.targetMessageKey, reaction);

export const encryptedVote = ({ pollCreationMessageKey: key, vote }: proto.Message.IPollUpdateMessage): Action | null =>
  update('vote', key, vote ?? {});

export const encryptedResponse = (response: proto.Message.IEncEventResponseMessage): Action | null =>
  update('response', response.eventCreationMessageKey, response);

export const encryptedComment = (comment: proto.Message.IEncCommentMessage): Action | null =>
  update('comment', comment.targetMessageKey, comment);
