/** Stanzas and texts of a pairing. */
export { buildPairingQRData, configureSuccessfulPairing, getCompanionPlatformId } from 'baileys';
