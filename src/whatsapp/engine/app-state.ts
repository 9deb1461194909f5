/** Keys and hashes of the application state. */
export { type LTHashState, newLTHashState } from 'baileys';
export { expandAppStateKeys, LTHashAntiTampering } from 'whatsapp-rust-bridge';
