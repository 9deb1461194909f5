/** Videos: also round ones, and those that are shown as animated pictures. */
import type { Kinds } from '../parts/kind.ts';
import { saidMedia } from '../parts/media.ts';

export const videoKinds: Kinds = {
  videoMessage: ({ videoMessage: video }) => saidMedia('video', video!),
  ptvMessage: ({ ptvMessage: video }) => saidMedia('video', video!),
};
