/** The network's address, and the key that its servers' certificates are verified with. */
export { DEFAULT_CONNECTION_CONFIG, WA_CERT_DETAILS } from 'baileys';
