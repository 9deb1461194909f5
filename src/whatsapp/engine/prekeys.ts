/** Prekeys on the wire: their number and format, and sessions from those of others. */
export {
  encodeBigEndian,
  extractE2ESessionFromRetryReceipt,
  INITIAL_PREKEY_COUNT,
  KEY_BUNDLE_TYPE,
  MIN_PREKEY_COUNT,
  parseAndInjectE2ESessions,
  signedKeyPair,
  xmppPreKey,
  xmppSignedPreKey,
} from 'baileys';
