/** A network that takes every act of a conversation and tells nobody. */
import type { Conversation } from '../../src/domain/chats/conversation.ts';

const taken = async (): Promise<void> => {};

export const quietConversation: Conversation = { showTyping: taken, markRead: taken, rejectCall: taken };
