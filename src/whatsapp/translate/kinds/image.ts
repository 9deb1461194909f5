/** Images. */
import type { Kinds } from '../parts/kind.ts';
import { saidMedia } from '../parts/media.ts';

export const imageKinds: Kinds = {
  imageMessage: ({ imageMessage: image }) => saidMedia('image', image!),
};
