/** A network that accepts every conversation action without effect; everybody has an account, and nobody a picture. */
import type { Conversation } from '../../src/domain/chats/conversation.ts';

const taken = async (): Promise<void> => {};

export const quietConversation: Conversation = {
  showTyping: taken,
  markRead: taken,
  rejectCall: taken,
  setTimer: taken,
  knownNumbers: async () => [],
  lookUpNumbers: async (numbers) =>
    numbers.map((number) => ({ number, exists: true, jid: `${number}@s.whatsapp.net`, lid: null })),
  knownUsernames: async () => [],
  lookUpUsernames: async (names) =>
    names.map(({ username }) => ({
      username,
      exists: true,
      keyRequired: false,
      jid: '1@lid',
      lid: '1@lid',
      number: null,
    })),
  ownUsername: async () => null,
  registered: async (person) => person,
  loadHistory: taken,
  setBlocked: taken,
  factsOf: async () => ({ about: null, aboutExpiresAt: null, picture: null }),
  pictureOf: async () => ({ id: '1', stream: new Blob(['picture']).stream() }),
  changeProfile: taken,
  setPicture: taken,
};
