/** Voice messages and other sound. */
import type { Kinds } from '../kind.ts';
import { saidMedia } from '../media.ts';

export const audioKinds: Kinds = {
  audioMessage: ({ audioMessage: audio }) => saidMedia('audio', audio!),
};
