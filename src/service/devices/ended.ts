/** Why a device has no session: a process that has just started knows it from the log alone (docs/spec/devices.md, Session). */
import type { DeviceEvent } from '../../domain/event.ts';
import type { Session } from '../../domain/sessions/session.ts';
import type { ClosedReason } from '../../domain/sessions/state.ts';
import type { EventStore } from '../../domain/stores.ts';

const reasonByLogout = { requested: 'logged_out', removed_by_phone: 'removed_by_phone', banned: 'locked' } as const;

const reasonBy = (event: DeviceEvent | undefined): ClosedReason => {
  if (event?.type === 'connection.logout') return reasonByLogout[event.data.reason];
  return event?.type === 'connection.timeout' ? 'pairing_expired' : 'never_paired';
};

/** The life with the reason for which its last link or pairing has ended, where that is all that can be known. */
export const asItEnded = async (
  events: Pick<EventStore, 'listBefore'>,
  deviceId: number,
  session: Session,
): Promise<Session> => {
  const { state } = session;
  if (state.kind !== 'closed' || state.reason !== 'never_paired') return session;
  const kinds = ['connection.logout', 'connection.timeout'] as const;
  const [last] = (await events.listBefore(deviceId, { limit: 1, cursor: null }, kinds)).items;
  return { ...session, state: { ...state, reason: reasonBy(last?.event) } };
};
