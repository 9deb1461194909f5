/** `handset chat …`, `label …`, `message label` and `call reject`. */
import type { Command } from '../command/command.ts';
import { callCommand, listed } from '../command/generic.ts';
import { fields } from '../terminal/output.ts';
import { wordsOf } from './messages.ts';
import type { Things } from '../../mcp/client.ts';

type Chat = Things['Chat'];
type Label = Things['Label'];

const marksOf = ({ archived, pinned, mutedUntil }: Chat): string =>
  [archived && 'archived', pinned && 'pinned', mutedUntil !== null && 'muted'].filter(Boolean).join(' ');

const chatList = callCommand('listChats', {
  done: ({ chats }: { readonly chats: readonly Chat[] }) =>
    listed(chats, 'No chats', {
      CHAT: ({ chatNumber, chat }) => chatNumber ?? chat,
      UNREAD: ({ unread }) => String(unread),
      MARKS: marksOf,
      NAME: ({ name, username }) => name ?? (username && `@${username}`),
      'LAST MESSAGE': ({ lastMessage }) => lastMessage && wordsOf(lastMessage),
    }),
});

const chatShow = callCommand('getChat', {
  value: ({ chat }: { readonly chat: Chat }) => chat,
  done: ({ chat }) =>
    fields([
      ['Chat', chat.chat],
      ['LID', chat.chatLid],
      ['Name', chat.name],
      ['Username', chat.username && `@${chat.username}`],
      ['Unread', chat.unread],
      ['Marks', marksOf(chat) || null],
      ['Labels', chat.labels.join(', ') || null],
      ['Muted until', chat.mutedUntil],
      ['Messages disappear after', chat.expiresInSeconds === null ? null : `${chat.expiresInSeconds} s`],
      ['Last message', chat.lastMessage && wordsOf(chat.lastMessage)],
    ]),
});

const chatSet = callCommand('updateChat', { done: 'Chat updated' });

const chatClear = callCommand('clearChat', {
  destroys: 'this deletes the messages of the chat on all devices of this account',
  done: 'Chat cleared',
});

const chatTyping = callCommand('setTyping', {
  done: 'Typing set',
});

const chatRead = callCommand('markRead', {
  body: ({ positionals: [, , messageId] }) => (messageId === undefined ? {} : { messageIds: [messageId] }),
  done: ({ messageIds }: { readonly messageIds: readonly string[] }) => [`Marked as read: ${messageIds.length}`],
});

const chatHistory = callCommand('loadHistory', {
  summary: 'Ask the phone for older messages of a chat, 1 to 500',
  done: 'Asked the phone for older messages; the event history.loaded says how many arrived',
});

const labelList = callCommand('listLabels', {
  value: ({ labels }: { readonly labels: readonly Label[] }) => labels,
  done: ({ labels }) =>
    listed(labels, 'No labels', {
      LABEL: ({ id }) => id,
      COLOUR: ({ color }) => (color === null ? null : String(color)),
      TYPE: ({ type }) => type,
      NAME: ({ name }) => name,
    }),
});

const labelCreate = callCommand('createLabel', {
  value: ({ label }: { readonly label: Label }) => label,
  done: ({ label }) => [`Made label ${label.id}`],
});

const labelDelete = callCommand('deleteLabel', {
  destroys: 'the label is taken off all chats and messages',
  done: 'Label deleted',
});

const messageLabel = callCommand('setMessageLabels', { done: 'Labels set' });

const callReject = callCommand('rejectCall', {
  done: 'Call rejected',
});

export const chatCommands: readonly Command[] = [
  chatList,
  chatShow,
  chatTyping,
  chatRead,
  chatSet,
  chatClear,
  chatHistory,
  labelList,
  labelCreate,
  labelDelete,
  messageLabel,
  callReject,
];
