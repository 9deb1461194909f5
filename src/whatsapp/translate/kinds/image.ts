/** Images. */
import type { Kinds } from '../kind.ts';
import { saidMedia } from '../media.ts';

export const imageKinds: Kinds = {
  imageMessage: ({ imageMessage: image }) => saidMedia('image', image!),
};
