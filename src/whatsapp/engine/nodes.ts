/** Stanzas as trees, what is read out of them, and the names under which the engine announces them. */
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
