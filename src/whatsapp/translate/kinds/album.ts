/** The frame around images and videos that were sent together: each of them follows as a message of its own. */
import type { Kinds } from '../parts/kind.ts';

export const albumKinds: Kinds = {
  albumMessage: ({ albumMessage: album }) => ({ type: 'album', context: album!.contextInfo }),
};
