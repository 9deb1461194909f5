/** Videos: also round ones, and those that are shown as animated pictures. */
import type { Kinds } from '../kind.ts';
import { saidMedia } from '../media.ts';

export const videoKinds: Kinds = {
  videoMessage: ({ videoMessage: video }) => saidMedia('video', video!),
  ptvMessage: ({ ptvMessage: video }) => saidMedia('video', video!),
};
