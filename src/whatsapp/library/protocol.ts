/** Functions of Baileys that concern neither stanzas, addresses, messages nor types. */

// The network's address, the root key of its server certificates, and the handshake.
export { DEFAULT_CONNECTION_CONFIG, DEFAULT_ORIGIN, NOISE_MODE, NOISE_WA_HEADER, WA_CERT_DETAILS } from 'baileys';

// What a login and a pairing tell about the client.
export { Browsers, generateLoginNode, generateRegistrationNode } from 'baileys';

// Codes of the errors by which a connection ends.
export { getCodeFromWSError, getErrorCodeFromStreamError } from 'baileys';

// A device's credentials: creation, serialization, and what the network sees of them.
export { BufferJSON, encodeSignedDeviceIdentity, initAuthCreds } from 'baileys';

// Requests to the account's phone for a file that the media host has dropped.
export { decryptMediaRetryData, encryptMediaRetryRequest } from 'baileys';

// Stanzas and texts of a pairing.
export { buildPairingQRData, configureSuccessfulPairing, getCompanionPlatformId } from 'baileys';

export {
  encodeBigEndian,
  extractE2ESessionFromRetryReceipt,
  INITIAL_PREKEY_COUNT,
  KEY_BUNDLE_TYPE,
  MIN_PREKEY_COUNT,
  signedKeyPair,
  xmppPreKey,
  xmppSignedPreKey,
} from 'baileys';

// The token that allows a recipient to report a message.
export { getMessageReportingToken } from 'baileys/lib/Utils/reporting-utils.js';

// User queries: devices, addresses, and whether they have an account.
export { USyncQuery, type USyncQueryResult, type USyncQueryResultList, USyncUser } from 'baileys';

// Hashes and patches of app state.
export { encodeSyncdPatch, type LTHashState, newLTHashState } from 'baileys';
