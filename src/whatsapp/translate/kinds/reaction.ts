/** Reactions, and pins: what a person does to a message of somebody. */
import { proto } from '../../engine/proto.ts';
import type { Action } from '../action.ts';
import { plainId } from '../parts/envelope.ts';
import { cutOrNull } from '../parts/kind.ts';

/** Several emoji joined into one. */
const maxReaction = 64;

export const reactionAction = ({ key, text }: proto.Message.IReactionMessage): Action | null =>
  key?.id ? { kind: 'reaction', messageId: plainId(key.id), reaction: cutOrNull(text, maxReaction) } : null;

const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.Message.PinInChatMessage.Type;

export const pinAction = ({ key, type }: proto.Message.IPinInChatMessage): Action | null =>
  key?.id && (type === PIN_FOR_ALL || type === UNPIN_FOR_ALL)
    ? { kind: 'pin', messageId: plainId(key.id), pinned: type === PIN_FOR_ALL }
    : null;
