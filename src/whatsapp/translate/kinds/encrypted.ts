/** Actions that are encrypted with the secret of the message which they are about (`receive/message-secret.ts`). */
import { proto } from '../../engine/proto.ts';
import type { Action, EncryptedUpdate } from '../action.ts';
import { plainId } from '../parts/envelope.ts';

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

/** Uses by the numbers of the network; the protobufs of the engine do not have the last one (whatsmeow WAWebProtobufsE2E, 2026-07). */
const editUses = new Map<number | null | undefined, EncryptedUpdate['use']>([
  [proto.Message.SecretEncryptedMessage.SecretEncType.EVENT_EDIT, 'eventEdit'],
  [proto.Message.SecretEncryptedMessage.SecretEncType.MESSAGE_EDIT, 'edit'],
  [3, 'pollEdit'],
]);

export const isKnownEdit = ({ secretEncType }: proto.Message.ISecretEncryptedMessage): boolean =>
  editUses.has(secretEncType);

/** Null for what is not well formed. */
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
