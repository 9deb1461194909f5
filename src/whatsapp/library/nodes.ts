/** Stanzas as trees, and functions that read them. */
export {
  type BinaryNode,
  binaryNodeToString,
  buildAckStanza,
  getAllBinaryNodeChildren,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  S_WHATSAPP_NET,
} from 'baileys';
