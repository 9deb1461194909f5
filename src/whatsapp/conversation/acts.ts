/** The acts of a conversation that the service asks of an open connection. */
import type { Conversation } from '../../domain/chats/conversation.ts';
import type { Link } from '../login/link.ts';
import { asked } from './asked.ts';
import { rejectCall } from './calls.ts';
import { markRead } from './read-marks.ts';

/** `link` throws DeviceNotConnected while there is none. */
export const conversationOf = (link: () => Link): Conversation => ({
  async showTyping(chat, state, ms) {
    const { deviceId, conversation } = link();
    await asked(deviceId, {}, () => conversation.typing.show(chat, state, ms));
  },
  async markRead(messages, tell) {
    const open = link();
    await markRead(open, open.conversation.addressOf, messages, tell);
  },
  rejectCall: async (call) => rejectCall(link(), call),
});
