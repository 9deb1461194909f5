/** Parsing and building of JIDs. */
export {
  isHostedLidUser,
  isHostedPnUser,
  isLidUser,
  isPnUser,
  jidDecode,
  jidEncode,
  jidNormalizedUser,
  type JidServer,
} from 'baileys';
