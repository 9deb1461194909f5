/** The device's part in the last step of a pairing. */
import { type BinaryNode, configureSuccessfulPairing } from 'baileys';
import type { Account } from '../../domain/session-state.ts';
import { accountOf } from '../account.ts';
import { noteClientProps } from '../lid-migration.ts';
import type { Link } from '../link.ts';
import type { SessionStore } from '../session-store.ts';
import { serializeCredentials } from '../signal/credentials.ts';

/**
 * Checks what the network confirms and stores the account; only then may `reply` tell the network that the pairing is
 * complete. Throws when the confirmation is not from the phone that saw the QR.
 */
export const confirmPairing = async (
  deviceId: number,
  { sock, creds }: Link,
  store: SessionStore,
  stanza: BinaryNode,
): Promise<{ account: Account; reply: () => void }> => {
  sock.updateServerTimeOffset(stanza);
  const { creds: confirmed, reply } = configureSuccessfulPairing(stanza, creds);
  Object.assign(creds, confirmed);
  noteClientProps(creds, stanza);
  const account = accountOf(creds);
  await store.commit(deviceId, { credentials: serializeCredentials(creds), account });
  return {
    account,
    reply() {
      // When the connection is gone already, the next login tells whether the network has made the link.
      sock.sendNode(reply).catch(() => {});
    },
  };
};
