/** Composes what is done to an earlier message. */
import { proto } from '../engine/proto.ts';
import type { MessageAction } from '../../domain/messages/outgoing.ts';
import { invalidRequest } from '../../errors.ts';
import { isAdministrator } from '../../domain/groups/changes.ts';
import { meOf } from '../login/account.ts';
import { type ChatRef, myself } from '../translate/people.ts';
import { editedContent, mentionsIn } from './forward.ts';
import { mentionsFor } from './mentions.ts';
import { groupOf, keyOf } from './naming.ts';
import type { Link } from '../login/link.ts';

const { Type } = proto.Message.ProtocolMessage;
const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.Message.PinInChatMessage.Type;

/** Deleting what others wrote is the right of a group's administrators. */
const assertAdministrator = async (link: Link, chat: ChatRef): Promise<void> => {
  if (!isAdministrator(await groupOf(link, chat), myself(meOf(link.creds)))) {
    throw invalidRequest('The message is of somebody else, and the account is not an administrator of this group');
  }
};

/** Throws InvalidRequest where the account has no right to it. */
export const composeAction = async (link: Link, action: MessageAction, chat: ChatRef): Promise<proto.IMessage> => {
  const { original } = action;
  if (action.kind === 'delete' && original.direction === 'in') await assertAdministrator(link, chat);
  const key = await keyOf(link, original, chat);
  const now = link.clock.now();
  switch (action.kind) {
    case 'edit': {
      const mentions = await mentionsFor(link, mentionsIn(original, action.text), chat);
      const editedMessage = editedContent(original, mentions.inText(action.text), mentions.jids);
      // In the wrapper that says so (whatsmeow `BuildEdit`, zapo); Baileys rc14 sends it without.
      const protocolMessage = { key, type: Type.MESSAGE_EDIT, editedMessage, timestampMs: now };
      return { editedMessage: { message: { protocolMessage } } };
    }
    case 'delete':
      return { protocolMessage: { key, type: Type.REVOKE } };
    case 'reaction':
      return { reactionMessage: { key, text: action.reaction ?? '', senderTimestampMs: now } };
    case 'pin': {
      const type = action.seconds === null ? UNPIN_FOR_ALL : PIN_FOR_ALL;
      const pinInChatMessage = { key, type, senderTimestampMs: now };
      if (action.seconds === null) return { pinInChatMessage };
      return { pinInChatMessage, messageContextInfo: { messageAddOnDurationInSecs: action.seconds } };
    }
  }
};
