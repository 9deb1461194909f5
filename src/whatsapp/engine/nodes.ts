/** Stanzas as trees, functions that read them, and event names of the engine. */
export {
  type BinaryNode,
  buildAckStanza,
  DEF_TAG_PREFIX,
  getAllBinaryNodeChildren,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  QueryIds,
  S_WHATSAPP_NET,
} from 'baileys';
