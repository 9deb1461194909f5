/** What the driver takes of Baileys beside stanzas, addresses and types. */

// The network's address, and the root key of its server certificates.
export { DEFAULT_CONNECTION_CONFIG, WA_CERT_DETAILS } from 'baileys';

// A device's credentials: creation, serialisation, and what the network sees of them.
export { BufferJSON, encodeSignedDeviceIdentity, initAuthCreds } from 'baileys';

// Requests to the account's phone for a file that the media host has dropped.
export { decryptMediaRetryData, encryptMediaRetryRequest } from 'baileys';

// Stanzas and texts of a pairing.
export { buildPairingQRData, configureSuccessfulPairing, getCompanionPlatformId } from 'baileys';

// Prekeys on the wire: their number and format, and sessions from those of others.
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

// The token that allows a recipient to report a message.
export { getMessageReportingToken } from 'baileys/lib/Utils/reporting-utils.js';

// User queries: devices, addresses, and whether they have an account.
export { USyncQuery, type USyncQueryResult, type USyncQueryResultList, USyncUser } from 'baileys';

// Keys, hashes and patches of the application state.
export { encodeSyncdPatch, type LTHashState, newLTHashState } from 'baileys';
export { expandAppStateKeys, LTHashAntiTampering } from 'whatsapp-rust-bridge';
