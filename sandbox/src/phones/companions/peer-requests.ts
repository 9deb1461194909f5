/** Requests of a companion to its phone: for messages without content, older messages, and app state keys. */
import { proto } from 'baileys';
import { addressee } from '../context/address.ts';
import { type Message, type PhoneContext, serialized, messageId } from '../context/context.ts';
import { contentOf, type Delivery } from '../reading/decrypt.ts';
import { chunkBefore } from './history.ts';
import { history, shareAppStateKey } from './linking.ts';
import { secretOf } from '../context/secrets.ts';
import { postToOwn } from '../sending/sending.ts';

const { HISTORY_SYNC_ON_DEMAND, PLACEHOLDER_MESSAGE_RESEND } = proto.Message.PeerDataOperationRequestType;
const { PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE } = proto.Message.ProtocolMessage.Type;

const infoOf = (phone: PhoneContext, key: proto.IMessageKey | null | undefined): Uint8Array | null => {
  const shown = key?.id ? phone.view.find(key.id) : null;
  if (shown === null) return null;
  const bytes = phone.content.get(shown.id);
  const secret = secretOf(phone, shown.id);
  const content: Message = bytes === undefined ? { conversation: shown.text ?? '' } : proto.Message.decode(bytes);
  const message: Message = {
    ...proto.Message.toObject(proto.Message.create(content)),
    ...(secret && { messageContextInfo: { ...content.messageContextInfo, messageSecret: secret } }),
  };
  return proto.WebMessageInfo.encode({
    key: key!,
    message,
    messageTimestamp: Math.floor(Date.parse(shown.timestamp) / 1000),
    pushName: shown.pushName,
  }).finish();
};

/**
 * A peer message must not be wrapped (whatsmeow `preparePeerMessageNode`, send.go, 2026-08-21). One wrapped in
 * `deviceSentMessage`, as by stock Baileys 7.0.0-rc14, is answered on a lenient network only.
 */
const requestIn = (
  { hub, counters }: PhoneContext,
  { node, fromMe }: Delivery,
  message: Message,
): proto.Message.IProtocolMessage | null => {
  const asked = contentOf(message).protocolMessage;
  if (!fromMe || !(asked?.appStateSyncKeyRequest || asked?.peerDataOperationRequestMessage)) return null;
  const isBare = !message.deviceSentMessage && node.attrs['category'] === 'peer';
  if (isBare || !hub.isStrict()) return asked;
  counters.wrappedPeerMessages += 1;
  return null;
};

const sendOlder = async (
  phone: PhoneContext,
  { id, author }: Delivery,
  asked: proto.Message.PeerDataOperationRequestMessage.IHistorySyncOnDemandRequest,
): Promise<void> => {
  const message = await history(phone, chunkBefore(phone, asked), id);
  await postToOwn(phone, addressee(author.account, author.device), messageId(), message);
};

const answer = (
  phone: PhoneContext,
  delivery: Delivery,
  asked: proto.Message.IProtocolMessage,
): Promise<void> | null => {
  const { id, author } = delivery;
  if (asked.appStateSyncKeyRequest) return shareAppStateKey(phone, author.device);
  const request = asked.peerDataOperationRequestMessage;
  if (request?.peerDataOperationRequestType === HISTORY_SYNC_ON_DEMAND && request.historySyncOnDemandRequest) {
    return sendOlder(phone, delivery, request.historySyncOnDemandRequest);
  }
  if (request?.peerDataOperationRequestType !== PLACEHOLDER_MESSAGE_RESEND) return null;
  const found = (request.placeholderMessageResendRequest ?? []).flatMap(
    ({ messageKey }) => infoOf(phone, messageKey) ?? [],
  );
  const response: Message = {
    protocolMessage: {
      type: PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE,
      peerDataOperationRequestResponseMessage: {
        peerDataOperationRequestType: PLACEHOLDER_MESSAGE_RESEND,
        stanzaId: id,
        peerDataOperationResult: found.map((webMessageInfoBytes) => ({
          placeholderMessageResendResponse: { webMessageInfoBytes },
        })),
      },
    },
  };
  return postToOwn(
    phone,
    addressee(author.account, author.device),
    messageId(),
    proto.Message.decode(serialized(response)),
  );
};

/** Null if the message is no request. */
export const answerRequest = (phone: PhoneContext, delivery: Delivery, message: Message): Promise<void> | null => {
  const asked = requestIn(phone, delivery, message);
  return asked === null ? null : answer(phone, delivery, asked);
};
