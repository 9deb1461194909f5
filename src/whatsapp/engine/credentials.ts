/** A device's credentials: how they begin, how they become JSON, and what the network is shown of them. */
export { BufferJSON, encodeSignedDeviceIdentity, initAuthCreds } from 'baileys';
