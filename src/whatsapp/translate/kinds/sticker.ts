/** Stickers, and packs of them: a pack is told by its name. */
import type { Kinds } from '../parts/kind.ts';
import { saidMedia } from '../parts/media.ts';

export const stickerKinds: Kinds = {
  stickerMessage: ({ stickerMessage: sticker }) => saidMedia('sticker', sticker!),
  stickerPackMessage: ({ stickerPackMessage: pack }) => ({
    type: 'sticker',
    text: pack!.caption || pack!.name,
    context: pack!.contextInfo,
  }),
};
