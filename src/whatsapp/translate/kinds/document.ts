/** Files of any kind. */
import type { Kinds } from '../parts/kind.ts';
import { saidMedia } from '../parts/media.ts';

export const documentKinds: Kinds = {
  documentMessage: ({ documentMessage: file }) => saidMedia('document', file!),
};
