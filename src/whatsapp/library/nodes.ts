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
