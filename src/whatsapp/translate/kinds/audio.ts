/** Voice messages and other sound. */
import type { Kinds } from '../parts/kind.ts';
import { saidMedia } from '../parts/media.ts';

export const audioKinds: Kinds = {
  audioMessage: ({ audioMessage: audio }) => saidMedia('audio', audio!),
};
