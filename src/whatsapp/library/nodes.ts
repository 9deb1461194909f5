/** Stanzas as trees, functions that read them, and event names of the engine. */
export {
  type BinaryNode,
  binaryNodeToString,
  buildAckStanza,
  getAllBinaryNodeChildren,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  S_WHATSAPP_NET,
} from 'baileys';
import type { BinaryNode } from 'baileys';

/** Bytes of the texts and files in a stanza. */
export const contentBytes = ({ content }: BinaryNode): number =>
  Array.isArray(content) ? content.reduce((sum, child) => sum + contentBytes(child), 0) : (content?.length ?? 0);
