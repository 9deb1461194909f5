/** Restores every linked, active device at start, and closes all sessions at the end. */
import type { Clock } from '../../domain/clock.ts';
import type { DeviceRecord } from '../../domain/device.ts';
import { isResumable } from '../../domain/sessions/session.ts';
import type { SessionView } from '../../domain/sessions/state.ts';
import type { Stores } from '../../domain/stores.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { within } from '../time/deadline.ts';
import type { Ownership } from '../cluster/ownership.ts';
import type { Runtimes } from './runtimes.ts';

export interface SupervisorStats {
  readonly sessions: Readonly<Record<SessionView['state'], number>>;
  readonly reconnects: number;
  readonly stalledBacklogs: number;
}

interface Parts {
  readonly stores: Pick<Stores, 'devices' | 'changes'>;
  readonly runtimes: Runtimes;
  readonly ownership: Ownership | null;
  readonly clock: Clock;
  readonly log: Logger;
}

/** With the drain of requests, within the 10 s of a graceful stop (docs/operations.md). */
const stopMs = 3_000;

const restorable = (record: DeviceRecord, now: number): boolean =>
  record.subscriptionStatus === 'active' && (record.account !== null || isResumable(record, now));

/** The process died between the end of a session and its event: writes the event. */
export const completePair = async (
  { stores, clock }: Pick<Parts, 'stores' | 'clock'>,
  record: DeviceRecord,
): Promise<void> => {
  const reason = record.subscriptionStatus === 'inactive' ? 'inactive' : 'lost';
  const event = { type: 'connection.closed' as const, data: { reason, willReconnect: false } as const };
  await stores.changes.commit(record.id, {
    facts: [{ event, at: clock.now() }],
    announcedOpen: false,
  });
};

/** The service was away for longer than anyone looks at a QR. */
const expirePairing = async ({ stores, clock }: Parts, { id }: DeviceRecord): Promise<void> => {
  const event = { type: 'connection.timeout' as const, data: {} };
  await stores.changes.commit(id, {
    facts: [{ event, at: clock.now() }],
    pairingAt: null,
  });
};

const restoreAll = async (parts: Parts): Promise<void> => {
  let cursor: string | null = null;
  let restored = 0;
  do {
    const page = await parts.stores.devices.list(null, { limit: 1000, cursor });
    for (const record of page.items) {
      if (restorable(record, parts.clock.now())) {
        parts.runtimes.of(record);
        restored += 1;
      } else if (record.announcedOpen) await completePair(parts, record);
      else if (record.account === null && record.pairingAt !== null) await expirePairing(parts, record);
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
  parts.log.info({ devices: restored }, 'restoring devices');
};

const statsOf = (runtimes: Runtimes): SupervisorStats => {
  const sessions = { connecting: 0, pairing: 0, passkey_required: 0, open: 0, reconnecting: 0, closed: 0 };
  let reconnects = 0;
  let stalledBacklogs = 0;
  for (const { session } of runtimes.all()) {
    sessions[session.state.kind] += 1;
    reconnects += session.reconnects;
    stalledBacklogs += session.stalledBacklogs ?? 0;
  }
  return { sessions, reconnects, stalledBacklogs };
};

export const makeSupervisor = (parts: Parts) => ({
  start: (): Promise<void> => parts.ownership?.start(parts.runtimes) ?? restoreAll(parts),
  /** Closes every session without a logout; bounded in time. */
  async stop(): Promise<void> {
    // Other nodes continue the sessions.
    if (parts.ownership !== null) await parts.ownership.drain();
    try {
      await within(parts.clock, stopMs, parts.runtimes.shutdown());
    } catch (error) {
      parts.log.warn({ reason: messageOf(error) }, 'not every session was closed in time');
    }
    if (parts.ownership !== null) await parts.ownership.stop();
  },
  stats: (): SupervisorStats => statsOf(parts.runtimes),
});

export type Supervisor = ReturnType<typeof makeSupervisor>;
