/** Media messages. */
import type { Kinds } from '../parts/kind.ts';
import { saidMedia, saidNote } from '../parts/media.ts';

export const albumKinds: Kinds = {
  albumMessage: ({ albumMessage: album }) => ({ type: 'album', context: album!.contextInfo }),
};

export const audioKinds: Kinds = {
  audioMessage: ({ audioMessage: audio }) => saidMedia('audio', audio!),
};

export const documentKinds: Kinds = {
  documentMessage: ({ documentMessage: file }) => saidMedia('document', file!),
};

export const imageKinds: Kinds = {
  imageMessage: ({ imageMessage: image }) => saidMedia('image', image!),
};

export const stickerKinds: Kinds = {
  stickerMessage: ({ stickerMessage: sticker }) => saidMedia('sticker', sticker!),
  stickerPackMessage: ({ stickerPackMessage: pack }) => ({
    type: 'sticker',
    text: pack!.caption || pack!.name,
    context: pack!.contextInfo,
  }),
};

export const videoKinds: Kinds = {
  videoMessage: ({ videoMessage: video }) => saidMedia('video', video!),
  ptvMessage: ({ ptvMessage: video }) => saidNote(video!),
};
