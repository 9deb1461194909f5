/** A device's credentials: creation, serialisation, and what the network sees of them. */
export { BufferJSON, encodeSignedDeviceIdentity, initAuthCreds } from 'baileys';
