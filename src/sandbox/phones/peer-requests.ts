/** What a companion asks its phone for: messages that it got without their content. */
import { proto } from 'baileys';
import { addressee } from './address.ts';
import { type Message, type PhoneContext, serialized } from './context.ts';
import type { Delivery } from './decrypt.ts';
import { messageId } from './ids.ts';
import { postToOwn } from './sending.ts';

const { PLACEHOLDER_MESSAGE_RESEND } = proto.Message.PeerDataOperationRequestType;
const { PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE } = proto.Message.ProtocolMessage.Type;

const infoOf = (phone: PhoneContext, key: proto.IMessageKey | null | undefined): Uint8Array | null => {
  const shown = key?.id ? phone.view.find(key.id) : null;
  if (shown === null) return null;
  const bytes = phone.content.get(shown.id);
  const secret = phone.secrets.get(shown.id);
  const message: Message = {
    ...(bytes === undefined ? { conversation: shown.text ?? '' } : proto.Message.toObject(proto.Message.decode(bytes))),
    ...(secret && { messageContextInfo: { messageSecret: secret } }),
  };
  return proto.WebMessageInfo.encode({
    key: key!,
    message,
    messageTimestamp: Math.floor(Date.parse(shown.timestamp) / 1000),
    pushName: shown.pushName,
  }).finish();
};

/** Hands the messages over that the phone has; null where nothing is asked for. */
export const answerRequest = (
  phone: PhoneContext,
  { id, author, fromMe }: Delivery,
  message: Message,
): Promise<void> | null => {
  const request = message.protocolMessage?.peerDataOperationRequestMessage;
  if (!fromMe || request?.peerDataOperationRequestType !== PLACEHOLDER_MESSAGE_RESEND) return null;
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
