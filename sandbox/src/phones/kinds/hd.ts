/** Images and videos that are sent twice: in standard quality, and then in HD, as a message that names the first (mautrix-whatsapp #818, 2025-07). */
import { proto } from 'baileys';
import type { Message } from '../context/context.ts';

const { HD_IMAGE_DUAL_UPLOAD, HD_VIDEO_DUAL_UPLOAD } = proto.MessageAssociation.AssociationType;

/** The message as the version in HD of the one with this key. */
export const inHd = (message: Message, parentMessageKey: proto.IMessageKey): Message => {
  const { messageContextInfo, ...content } = message;
  const associationType = content.videoMessage ? HD_VIDEO_DUAL_UPLOAD : HD_IMAGE_DUAL_UPLOAD;
  return {
    associatedChildMessage: { message: content },
    messageContextInfo: { ...messageContextInfo, messageAssociation: { associationType, parentMessageKey } },
  };
};

/** Id of the message that this one is the version in HD of, or null. */
export const hdOf = ({ messageContextInfo: info }: Message): string | null => {
  const { associationType, parentMessageKey } = info?.messageAssociation ?? {};
  const isHd = associationType === HD_IMAGE_DUAL_UPLOAD || associationType === HD_VIDEO_DUAL_UPLOAD;
  return (isHd && parentMessageKey?.id) || null;
};
