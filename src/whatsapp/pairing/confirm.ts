/** The device's part in the last step of a pairing. */
import { type BinaryNode, S_WHATSAPP_NET } from '../library/nodes.ts';
import { configureSuccessfulPairing } from '../library/protocol.ts';
import type { Socket } from '../socket/socket.ts';
import type { Account } from '../../domain/sessions/state.ts';
import { accountOf } from '../identity/account.ts';
import { noteClientProps } from '../identity/lid-migration.ts';
import type { Session } from '../session.ts';
import type { SessionStore } from '../state/session-store.ts';
import { serializeCredentials } from '../signal/credentials.ts';

/** Then the phone reports the failure (zapo WaPairingFlow, 2026-08-19; whatsmeow pair.go, 2026-08-21). */
const notAuthorized = { code: '401', text: 'not-authorized' };
const internalError = { code: '500', text: 'internal-error' };

const orRefuse = async <T>(
  sock: Socket,
  { attrs: { id = '' } }: BinaryNode,
  why: Record<string, string>,
  work: () => T | Promise<T>,
): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const attrs = { to: S_WHATSAPP_NET, type: 'error', id };
    // A closed connection needs no answer.
    await sock.sendNode({ tag: 'iq', attrs, content: [{ tag: 'error', attrs: why }] }).catch(() => {});
    throw error;
  }
};

/** Stores the account before `reply` may complete the pairing. Throws if the confirmation is not from the phone that scanned the QR. */
export const confirmPairing = async (
  deviceId: number,
  { sock, creds }: Session,
  store: SessionStore,
  stanza: BinaryNode,
): Promise<{ account: Account; reply: () => void }> => {
  const { creds: confirmed, reply } = await orRefuse(sock, stanza, notAuthorized, () =>
    configureSuccessfulPairing(stanza, creds),
  );
  Object.assign(creds, confirmed);
  noteClientProps(creds, stanza);
  const account = accountOf(creds);
  await orRefuse(sock, stanza, internalError, () =>
    store.commit(deviceId, { credentials: serializeCredentials(creds), account }),
  );
  return {
    account,
    reply() {
      // If the connection is gone, the next login tells whether the link was made.
      sock.sendNode(reply).catch(() => {});
    },
  };
};
