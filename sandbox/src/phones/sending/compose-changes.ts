/** Composes changes to an earlier message: edits, reactions, votes, responses and revokes. */
import { conflict } from '../../base/errors.ts';
import { isGroup } from '../context/address.ts';
import { type PhoneContext, messageId, type Message } from '../context/context.ts';
import { locationMessage } from '../kinds/cards.ts';
import type { Place, EventPlan } from '../kinds/types.ts';
import type { Shown, ViewMessage } from '../context/view.ts';
import { openRoute } from './deliver.ts';
import { post } from './sending.ts';
import { proto } from 'baileys';
import { eventMessage } from '../kinds/polls.ts';
import { type About, type EventAnswer, eventAnswers, optionHash, seal } from '../context/secrets.ts';

/**
 * Live location updates go from phone to phone; linked devices get the first position only (whatsmeow #24, wppconnect-server
 * #1189). Their wire format is not public: here it is a live location that names the message it moves.
 */
export type Position = Pick<Place, 'latitude' | 'longitude' | 'accuracyMeters'>;

const moved = ({ view }: PhoneContext, { id, details }: ViewMessage, location: Place): void => {
  const { latitude, longitude } = location;
  view.change(id, { location, details: { ...details, latitude, longitude } });
};

/** True if the message was an update, which is not shown on its own. */
export const takeMove = (phone: PhoneContext, shown: Shown, from: string): boolean => {
  const target = shown.location?.live && shown.quotedId ? phone.view.find(shown.quotedId) : null;
  if (!shown.location || !target?.location?.live || target.from !== from) return false;
  moved(phone, target, { ...target.location, ...shown.location });
  return true;
};

export const sendMove = async (phone: PhoneContext, message: ViewMessage, position: Position): Promise<void> => {
  const { id, chat, fromMe, location } = message;
  if (!fromMe || !location?.live) throw conflict('only an own live location can be moved');
  if (isGroup(chat)) throw conflict('live locations do not move in groups of the sandbox');
  const place = { ...location, ...position };
  const { liveLocationMessage } = locationMessage(place);
  const route = await openRoute(phone, chat);
  const phones = { ...route, own: [], others: route.others.filter(({ device }) => device === 0) };
  const update = { liveLocationMessage: { ...liveLocationMessage, contextInfo: { stanzaId: id } } };
  await post(phone, phones, { id: messageId(), message: update, edit: null });
  moved(phone, message, place);
  phone.changed();
};

export const keyOf = (message: ViewMessage): proto.IMessageKey => ({
  remoteJid: message.chat,
  fromMe: message.fromMe,
  id: message.id,
  ...(message.chat.endsWith('@g.us') && { participant: message.from }),
});

/** New text or caption, the only part of media that an edit names. */
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

/** The form used before May 2026. */
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

export const composeEventEdit = (message: ViewMessage, event: EventPlan, about: About): Message => ({
  secretEncryptedMessage: {
    targetMessageKey: keyOf(message),
    secretEncType: proto.Message.SecretEncryptedMessage.SecretEncType.EVENT_EDIT,
    ...seal('Event Edit', about, proto.Message.encode(eventMessage(event)).finish()),
  },
});

/** As used in announcement groups. */
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

/** A sealed message of its own, used in announcement groups of communities. */
export const composeComment = (message: ViewMessage, text: string, about: About): Message => ({
  encCommentMessage: {
    targetMessageKey: keyOf(message),
    ...seal('Enc Comment', about, proto.Message.encode({ conversation: text }).finish()),
  },
});

/** For everybody in the chat; `seconds` null unpins. */
export const composePin = (message: ViewMessage, seconds: number | null): Message => {
  const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.Message.PinInChatMessage.Type;
  return {
    pinInChatMessage: {
      key: keyOf(message),
      type: seconds === null ? UNPIN_FOR_ALL : PIN_FOR_ALL,
      senderTimestampMs: Date.now(),
    },
    ...(seconds !== null && { messageContextInfo: { messageAddOnDurationInSecs: seconds } }),
  };
};

export const composeTimer = (expiresInSeconds: number): Message => ({
  protocolMessage: {
    type: proto.Message.ProtocolMessage.Type.EPHEMERAL_SETTING,
    ephemeralExpiration: expiresInSeconds,
    ephemeralSettingTimestamp: Math.floor(Date.now() / 1000),
    disappearingMode: {
      initiator: proto.DisappearingMode.Initiator.CHANGED_IN_CHAT,
      trigger: proto.DisappearingMode.Trigger.CHAT_SETTING,
    },
  },
});

export const composeRevoke = (message: ViewMessage): Message => ({
  protocolMessage: { key: keyOf(message), type: proto.Message.ProtocolMessage.Type.REVOKE },
});

export const composeReaction = (message: ViewMessage, emoji: string): Message => ({
  reactionMessage: { key: keyOf(message), text: emoji, senderTimestampMs: Date.now() },
});
