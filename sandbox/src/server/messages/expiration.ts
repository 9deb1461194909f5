/** Notices of the date from which the network refuses a client's revision (whatsapp-rust #1314, 2026-08-16, from WhatsApp Web). */
import { element, SERVER } from '../../base/nodes.ts';
import type { HubState, Session } from '../state/state.ts';

/** Without a date, withdraws the notice. */
const tell = ({ faults: { clientExpiration: t } }: HubState, { client }: Session): void =>
  client.send(element('ib', { from: SERVER }, [element('client_expiration', t === null ? {} : { t: String(t) })]));

export const tellExpiration = (hub: HubState, session: Session): void => {
  if (session.device.id !== 0 && hub.faults.clientExpiration !== null) tell(hub, session);
};

export const announceExpiration = (hub: HubState): void => {
  for (const session of hub.sessions.values()) if (session.device.id !== 0) tell(hub, session);
};
