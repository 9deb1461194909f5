/** Chats: list, read, type, change, history from the phone, and calls (docs/spec/chats.md, docs/spec/conversation.md). */
import { members, answer, flag } from '../build.ts';
import { pageParameters, nextCursor } from '../schemas/page.ts';
import { Type } from 'typebox';
import { nameSearch, ChatSchema, ReadSchema, ReadAnswer, TypingSchema, TypingAnswer } from '../schemas/chat.ts';
import { changes, declare, destroys, reads } from '../operation.ts';
import { labelFilter } from '../schemas/messages/label.ts';
import { UpdateChatSchema, ChatAnswer } from '../schemas/people.ts';

export const listChats = declare({
  id: 'listChats',
  path: '/devices/{id}/chats',
  command: 'chat list <device>',
  client: 'chats.list',
  tool: {
    name: 'list_chats',
    description: 'Chats of a device, newest activity first, with the newest message',
  },
  ...reads('0.3.0'),
  tag: 'Chats',
  summary: 'List chats, newest activity first',
  description: 'Each with its last message and the number of unread ones.',
  query: members({
    ...pageParameters,
    unread: Type.Optional(flag('`true`: those with unread messages; `false`: the others')),
    archived: Type.Optional(flag('`true`: those that are archived; `false`: the others')),
    label: Type.Optional(labelFilter),
    q: Type.Optional(nameSearch),
  }),
  answer: answer({ chats: Type.Array(ChatSchema), nextCursor }),
});

export const getChat = declare({
  id: 'getChat',
  path: '/devices/{id}/chats/{chat}',
  command: 'chat show <device> <chat>',
  client: 'chats.get',
  ...reads('0.3.0'),
  tag: 'Chats',
  summary: 'Retrieve a chat',
  description: '`chat`: a JID of either address, a group, or the digits of a phone number.',
  answer: answer({ chat: ChatSchema }),
  errors: ['chatNotFound'],
});

export const updateChat = declare({
  id: 'updateChat',
  method: 'PUT',
  path: '/devices/{id}/chats/{chat}',
  command: 'chat set <device> <chat>',
  nullWords: { mutedUntil: 'off', labels: 'off', expiresInSeconds: 'off' },
  client: 'chats.update',
  tool: {
    name: 'update_chat',
    description: 'Archives, pins, mutes, labels (ids) or marks a chat as unread, also on the phone',
    takes: ['archived', 'pinned', 'mutedUntil', 'labels', 'unread'],
  },
  ...changes('0.3.0', 'send'),
  tag: 'Chats',
  summary: 'Archive, pin, mute, mark or label a chat, or set its timer',
  description: 'Changes only the given fields, on the phone and on the account’s other devices too.',
  body: { schema: UpdateChatSchema, examples: { archive: { archived: true }, mute: { mutedUntil: 'always' } } },
  answer: ChatAnswer,
  connected: true,
  errors: ['chatNotFound', 'labelUnknown', 'labelNotGiven', 'settingsNotShared'],
});

export const clearChat = declare({
  id: 'clearChat',
  method: 'DELETE',
  path: '/devices/{id}/chats/{chat}',
  command: 'chat clear <device> <chat>',
  client: 'chats.clear',
  tool: {
    name: 'clear_chat',
    description: 'Deletes the messages of a chat on this account, also on the phone',
  },
  ...destroys('0.4.0', 'send'),
  tag: 'Chats',
  summary: 'Clear a chat on this account',
  description:
    'Deletes its messages here, on the phone and on the account’s other devices. The other side keeps them, and the chat stays in the list.',
  query: members({ keepStarred: Type.Optional(flag('`true`: messages with a star stay')) }),
  answer: ChatAnswer,
  connected: true,
  errors: ['chatNotFound', 'settingsNotShared'],
});

export const markRead = declare({
  id: 'markRead',
  method: 'POST',
  path: '/devices/{id}/chats/{chat}/read',
  command: 'chat read <device> <chat> [messageId]',
  client: 'chats.markRead',
  tool: {
    name: 'mark_read',
    description: 'Marks messages of a chat as read, all unread ones if no ids are given. Writers see it',
    takes: ['messageIds'],
  },
  ...changes('0.3.0', 'send'),
  tag: 'Chats',
  summary: 'Mark messages as read',
  description:
    'On the phone, too. The writers see it unless the setting `readReceipts` is false, or the account itself hides read receipts.',
  body: { schema: ReadSchema, optional: true, examples: { all: {}, answering: { typing: 'text' } } },
  answer: ReadAnswer,
  connected: true,
  errors: ['chatNotWritable', 'chatNotFound'],
});

export const setTyping = declare({
  id: 'setTyping',
  method: 'PUT',
  path: '/devices/{id}/chats/{chat}/typing',
  command: 'chat typing <device> <chat> <state>',
  client: 'chats.setTyping',
  tool: {
    name: 'set_typing',
    description:
      'Shows in a chat that the account is writing (text), recording (voice) or neither (none), for up to 25 s',
    takes: ['state'],
  },
  ...changes('0.3.0', 'send'),
  tag: 'Chats',
  summary: 'Show that the account is writing or recording',
  description: 'The network may show it only while the account is online (setting `online`).',
  body: { schema: TypingSchema, examples: { text: { state: 'text', seconds: 10 }, none: { state: 'none' } } },
  answer: TypingAnswer,
  connected: true,
  errors: ['chatNotWritable'],
});

const LoadHistorySchema = members(
  {
    count: Type.Integer({
      minimum: 1,
      maximum: 500,
      description: 'How many messages, 1 to 500; the phone may send fewer',
      errorMessage: 'must be a whole number from 1 to 500',
    }),
  },
  { title: 'LoadHistory' },
);

export const loadHistory = declare({
  id: 'loadHistory',
  method: 'POST',
  path: '/devices/{id}/chats/{chat}/history',
  command: 'chat history <device> <chat> <count>',
  client: 'chats.loadHistory',
  tool: {
    name: 'load_history',
    description: 'Asks the phone for older messages of a chat; the event history.loaded says how many came',
  },
  ...changes('0.3.0', 'send'),
  tag: 'Chats',
  summary: 'Ask the phone for older messages of a chat',
  description:
    'They are added to the message log, marked as `historic`, and don’t trigger `message.received`. The event `history.loaded` reports how many were added; if the phone doesn’t answer within a minute, it reports none.',
  body: { schema: LoadHistorySchema, examples: { fifty: { count: 50 } } },
  success: 202,
  answer: answer({}),
  connected: true,
  errors: ['chatNotFound'],
});

export const rejectCall = declare({
  id: 'rejectCall',
  method: 'POST',
  path: '/devices/{id}/calls/{callId}/reject',
  command: 'call reject <device> <callId>',
  client: 'calls.reject',
  tool: {
    name: 'reject_call',
    description: 'Rejects a call that is ringing; its callId is in the event call',
  },
  ...changes('0.3.0', 'send'),
  tag: 'Chats',
  summary: 'Reject a call that is ringing',
  description: '`callId` as in the event `call`. It stops ringing on all devices of the account.',
  answer: answer({}),
  connected: true,
  errors: ['callEnded'],
});
