/** The network's address, and the root key of its server certificates. */
export { DEFAULT_CONNECTION_CONFIG, WA_CERT_DETAILS } from 'baileys';
