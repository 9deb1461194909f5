/** Keys, hashes and patches of the application state. */
export { encodeSyncdPatch, type LTHashState, newLTHashState } from 'baileys';
export { expandAppStateKeys, LTHashAntiTampering } from 'whatsapp-rust-bridge';
