/** Albums: a message that counts its pictures and videos, each of which follows as a message of its own. */
import { proto } from 'baileys';
import type { Message } from '../context/context.ts';
import type { PartReader } from './part.ts';

export const albumMessage = (images: number, videos: number): Message => ({
  albumMessage: { expectedImageCount: images, expectedVideoCount: videos },
});

/** The message as a part of the album with this key. */
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

/** Id of the album that a message belongs to, or null. */
export const albumOf = ({ messageContextInfo: info }: Message): string | null =>
  (info?.messageAssociation?.associationType === proto.MessageAssociation.AssociationType.MEDIA_ALBUM &&
    info.messageAssociation.parentMessageKey?.id) ||
  null;
