/** Messages of several parts: albums, and images and videos followed by an HD version. */
import { proto } from 'baileys';
import type { Message } from '../context/context.ts';
import type { PartReader } from './part.ts';

export const albumMessage = (images: number, videos: number): Message => ({
  albumMessage: { expectedImageCount: images, expectedVideoCount: videos },
});

export const inAlbum = (message: Message, parentMessageKey: proto.IMessageKey): Message => ({
  ...message,
  messageContextInfo: {
    ...message.messageContextInfo,
    messageAssociation: { associationType: proto.MessageAssociation.AssociationType.MEDIA_ALBUM, parentMessageKey },
  },
});

export const readAlbum: PartReader = ({ albumMessage: said }) => {
  if (!said) return null;
  const album = { images: said.expectedImageCount ?? 0, videos: said.expectedVideoCount ?? 0 };
  return { type: 'album', members: { album }, context: said.contextInfo };
};

export const albumOf = ({ messageContextInfo: info }: Message): string | null =>
  (info?.messageAssociation?.associationType === proto.MessageAssociation.AssociationType.MEDIA_ALBUM &&
    info.messageAssociation.parentMessageKey?.id) ||
  null;

/** The HD version is a message that refers to the first (mautrix-whatsapp #818, 2025-07). */
const { HD_IMAGE_DUAL_UPLOAD, HD_VIDEO_DUAL_UPLOAD } = proto.MessageAssociation.AssociationType;

export const inHd = (message: Message, parentMessageKey: proto.IMessageKey): Message => {
  const { messageContextInfo, ...content } = message;
  const associationType = content.videoMessage ? HD_VIDEO_DUAL_UPLOAD : HD_IMAGE_DUAL_UPLOAD;
  return {
    associatedChildMessage: { message: content },
    messageContextInfo: { ...messageContextInfo, messageAssociation: { associationType, parentMessageKey } },
  };
};

export const hdOf = ({ messageContextInfo: info }: Message): string | null => {
  const { associationType, parentMessageKey } = info?.messageAssociation ?? {};
  const isHd = associationType === HD_IMAGE_DUAL_UPLOAD || associationType === HD_VIDEO_DUAL_UPLOAD;
  return (isHd && parentMessageKey?.id) || null;
};
