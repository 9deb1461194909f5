/** The device's part in the last step of a pairing. */
import { type BinaryNode, S_WHATSAPP_NET } from '../engine/nodes.ts';
import { configureSuccessfulPairing } from '../engine/baileys.ts';
import type { WASocket } from '../engine/types.ts';
import type { Account } from '../../domain/sessions/state.ts';
import { accountOf } from '../identity/account.ts';
import { noteClientProps } from '../identity/lid-migration.ts';
import type { Session } from '../session.ts';
import type { SessionStore } from '../state/session-store.ts';
import { serializeCredentials } from '../signal/credentials.ts';

/**
 * The answers to a `pair-success` that is not taken: the phone then says at once that linking has failed. `not-authorized` is
 * the web client's own (zapo WaPairingFlow, 2026-08-19), the other one is whatsmeow's (pair.go, 2026-08-21).
 */
const notAuthorized = { code: '401', text: 'not-authorized' };
const internalError = { code: '500', text: 'internal-error' };

const orRefuse = async <T>(
  sock: WASocket,
  { attrs: { id = '' } }: BinaryNode,
  why: Record<string, string>,
  work: () => T | Promise<T>,
): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const attrs = { to: S_WHATSAPP_NET, type: 'error', id };
    // A connection that is gone needs no answer.
    await sock.sendNode({ tag: 'iq', attrs, content: [{ tag: 'error', attrs: why }] }).catch(() => {});
    throw error;
  }
};

/**
 * Checks what the network confirms and stores the account; only then may `reply` tell the network that the pairing is
 * complete. Throws when the confirmation is not from the phone that saw the QR.
 */
export const confirmPairing = async (
  deviceId: number,
  { sock, creds }: Session,
  store: SessionStore,
  stanza: BinaryNode,
): Promise<{ account: Account; reply: () => void }> => {
  sock.updateServerTimeOffset(stanza);
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
      // When the connection is gone already, the next login tells whether the network has made the link.
      sock.sendNode(reply).catch(() => {});
    },
  };
};
