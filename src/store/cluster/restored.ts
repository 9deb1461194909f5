/** Handles a database that was restored to an earlier state: its devices have sent messages since then that it does not know. */
import { theService } from '../../domain/audit.ts';
import { restoredNote } from '../../domain/changes.ts';
import { auditWriter } from '../sealing/audit.ts';
import type { Context } from '../base/context.ts';
import { keyWriter } from '../sealing/keys.ts';
import { type Unit, all } from '../base/unit.ts';

/**
 * A ratchet or sender key that has gone on since then must not be used again: one key would encrypt two messages. New sessions are
 * agreed on with the next message of either side; what comes under the former ones is asked for again. Others' sender keys go, too, for
 * here nobody can tell them from the device's own. Lists of devices are asked for anew. Identities, prekeys and addresses stay: what
 * they say is as true as before.
 */
const gone = ['session', 'sender-key', 'sender-key-memory', 'device-list'];

/** More than the epochs that were given since the state that was put back: none of theirs is given again. */
const epochStep = 1_000_000;

/** Makes all devices begin new sessions; returns how many. The driver does its part at their next login, by the note among their keys. */
export function* beginAnew(context: Context, sign: string): Unit<number> {
  const { sql, database } = context;
  // First, because it ends the running sessions and waits for their writes.
  if (database.shared) {
    // A node that runs keeps its devices, so that no other connects them before it has ended its sessions.
    const free = sign === 'told' ? { node: null } : {};
    yield* all(sql.updateTable('leases').set((e) => ({ ...free, epoch: e('epoch', '+', epochStep) })));
  }
  yield* all(sql.deleteFrom('signal_keys').where('type', 'in', gone));
  const devices = yield* all(sql.selectFrom('credentials').select('device_id').orderBy('device_id'));
  const write = keyWriter(context);
  for (const { device_id: id } of devices) yield* write(id, [{ ...restoredNote, value: Uint8Array.of(1) }]);
  const by = sign === 'told' ? ({ kind: 'operator', address: null } as const) : theService;
  yield* auditWriter(context)(by, 'backup.restored', {}, { sign, devices: devices.length });
  return devices.length;
}
