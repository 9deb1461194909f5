/** Makes the protobuf of what a person does to an earlier message: edits, reactions, votes, responses and revokes. */
import { proto } from 'baileys';
import type { Message } from '../context.ts';
import { type About, type EventAnswer, eventAnswers, optionHash, seal } from './secrets.ts';
import type { ViewMessage } from '../view.ts';

/** Which message of a chat is meant, as seen by whoever writes about it. */
const keyOf = (message: ViewMessage): proto.IMessageKey => ({
  remoteJid: message.chat,
  fromMe: message.fromMe,
  id: message.id,
  ...(message.chat.endsWith('@g.us') && { participant: message.from }),
});

/** New text, or the new caption of media, which an edit names alone. */
const editedContent = ({ type, media }: ViewMessage, caption: string): Message => {
  if (type === 'image') return { imageMessage: { caption } };
  if (media !== null && type === 'video') return { videoMessage: { caption } };
  if (media !== null && type === 'document') return { documentMessage: { caption } };
  return { conversation: caption };
};

const editOf = (message: ViewMessage, text: string): Message => ({
  protocolMessage: {
    key: keyOf(message),
    type: proto.Message.ProtocolMessage.Type.MESSAGE_EDIT,
    editedMessage: editedContent(message, text),
    timestampMs: Date.now(),
  },
});

/** The form of before May 2026. */
export const composePlainEdit = (message: ViewMessage, text: string): Message => ({
  editedMessage: { message: editOf(message, text) },
});

export const composeEdit = (message: ViewMessage, text: string, about: About): Message => ({
  secretEncryptedMessage: {
    targetMessageKey: keyOf(message),
    secretEncType: proto.Message.SecretEncryptedMessage.SecretEncType.MESSAGE_EDIT,
    ...seal('Message Edit', about, proto.Message.encode(editOf(message, text)).finish()),
  },
});

/** As in announcement groups. */
export const composeSealedReaction = (message: ViewMessage, emoji: string, about: About): Message => ({
  encReactionMessage: {
    targetMessageKey: keyOf(message),
    ...seal(
      'Enc Reaction',
      about,
      proto.Message.ReactionMessage.encode({ text: emoji, senderTimestampMs: Date.now() }).finish(),
    ),
  },
});

export const composeVote = (poll: ViewMessage, options: readonly string[], about: About): Message => ({
  pollUpdateMessage: {
    pollCreationMessageKey: keyOf(poll),
    vote: seal(
      'Poll Vote',
      about,
      proto.Message.PollVoteMessage.encode({ selectedOptions: options.map(optionHash) }).finish(),
    ),
    senderTimestampMs: Date.now(),
  },
});

export const composeAnswer = (event: ViewMessage, answer: EventAnswer, about: About): Message => ({
  encEventResponseMessage: {
    eventCreationMessageKey: keyOf(event),
    ...seal(
      'Event Response',
      about,
      proto.Message.EventResponseMessage.encode({
        response: proto.Message.EventResponseMessage.EventResponseType[eventAnswers[answer]],
        timestampMs: Date.now(),
      }).finish(),
    ),
  },
});

export const composeRevoke = (message: ViewMessage): Message => ({
  protocolMessage: { key: keyOf(message), type: proto.Message.ProtocolMessage.Type.REVOKE },
});

/** An empty `emoji` takes the reaction back. */
export const composeReaction = (message: ViewMessage, emoji: string): Message => ({
  reactionMessage: { key: keyOf(message), text: emoji, senderTimestampMs: Date.now() },
});
