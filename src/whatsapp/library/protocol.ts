/** Functions of Baileys that concern neither stanzas, addresses, messages nor types. */

export { DEFAULT_CONNECTION_CONFIG, DEFAULT_ORIGIN, NOISE_MODE, NOISE_WA_HEADER, WA_CERT_DETAILS } from 'baileys';

export { Browsers, generateLoginNode, generateRegistrationNode } from 'baileys';

export { getCodeFromWSError, getErrorCodeFromStreamError } from 'baileys';

export { BufferJSON, encodeSignedDeviceIdentity, initAuthCreds } from 'baileys';

export { decryptMediaRetryData, encryptMediaRetryRequest } from 'baileys';

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

export { getMessageReportingToken } from 'baileys/lib/Utils/reporting-utils.js';

export { USyncQuery, type USyncQueryResult, type USyncQueryResultList, USyncUser } from 'baileys';

export { encodeSyncdPatch, type LTHashState } from 'baileys';
