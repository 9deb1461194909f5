/** Files of any kind. */
import type { Kinds } from '../kind.ts';
import { saidMedia } from '../media.ts';

export const documentKinds: Kinds = {
  documentMessage: ({ documentMessage: file }) => saidMedia('document', file!),
};
