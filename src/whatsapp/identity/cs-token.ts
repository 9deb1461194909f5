/**
 * The token of a first contact ("cstoken"): HMAC-SHA256 under the account's NCT salt.
 *
 * Rule: the message hashed is the recipient's LID without a device, `user@lid`; the node is `<cstoken>` with the 32 bytes and stands where there
 * is no valid tctoken; none for the network's own account (0). Sources: whatsmeow cstoken.go and send.go (August 2026), whatsapp-rust
 * wacore/src/iq/tctoken.rs. Contested: zapo v1.8.0 (2026-08-19) hashes the account's own LID; `csTokenInput` is the place to change.
 */
import { createHmac } from 'node:crypto';
import { jidKind, jidUser, lidJid } from '../../domain/jid.ts';

const csTokenInput = (recipientLid: string): string => lidJid(jidUser(recipientLid));

/** Null where the LID is not known, or nobody wants a token. */
export const csTokenFor = (address: string, salt: Uint8Array): Uint8Array | null => {
  if (jidKind(address) !== 'lid' || jidUser(address) === '0') return null;
  return createHmac('sha256', salt).update(csTokenInput(address)).digest();
};
