/**
 * Announces the current client version; a refusal is reported only after trying to renew it. The network announces it:
 * `<ib><client_expiration t="seconds"/></ib>`, withdrawn without `t` (whatsapp-rust #1314, 2026-08-16, from WhatsApp Web).
 */
import { type BinaryNode, getBinaryNodeChild } from '../../library/nodes.ts';
import type { Stanzas } from '../../socket/socket.ts';
import type { Network, SessionListener } from '../../../domain/network.ts';
import type { DisconnectReason } from '../../../domain/sessions/state.ts';
import { messageOf } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import type { ClientVersions } from './client-versions.ts';

/** An unreadable time is neither a date nor a withdrawal. Ten digits reach to the year 2286. */
export const followExpiration = (stanzas: Stanzas, tell: (at: number | null) => void): void => {
  const follow = (node: BinaryNode): void => {
    const t = getBinaryNodeChild(node, 'client_expiration')?.attrs['t'];
    if (t === undefined) tell(null);
    else if (/^\d{1,10}$/.test(t)) tell(Number(t) * 1000);
  };
  stanzas.on('ib', follow, { child: 'client_expiration' });
};

const withDoubt = (reason: Extract<DisconnectReason, { kind: 'pairing_expired' }>, doubt: string | null) =>
  doubt === null ? reason : { ...reason, detail: doubt };

interface Used {
  readonly versions: ClientVersions;
  readonly used: number;
  readonly failed: (error: unknown) => void;
}

const listenerOf = ({ versions, used, failed }: Used, listener: SessionListener): SessionListener => ({
  pairing: (offer) => listener.pairing(offer),
  passkey: (passkey) => listener.passkey(passkey),
  linked: (account) => listener.linked(account),
  restricted: (until) => listener.restricted(until),
  backlog: (backlog) => listener.backlog(backlog),
  clientExpires(at) {
    versions.expires(used, at).catch(failed);
  },
  open(account) {
    versions.accepted(used);
    listener.open(account);
  },
  closed(reason) {
    if (reason.kind === 'pairing_expired') return listener.closed(withDoubt(reason, versions.doubt(used)));
    if (reason.kind !== 'client_outdated') return listener.closed(reason);
    versions
      .refused(used)
      .then((renewal) => listener.closed({ ...reason, ...renewal }))
      .catch(failed);
  },
});

export const versionedNetwork = (network: Network, versions: ClientVersions, log: Logger): Network => ({
  ...network,
  connect(options, listener) {
    const used = versions.current.revision;
    const { deviceId } = options;
    const failed = (error: unknown): void =>
      log.error({ deviceId, error: messageOf(error) }, 'a session event handler failed');
    return network.connect({ ...options, clientRevision: used }, listenerOf({ versions, used, failed }, listener));
  },
});
