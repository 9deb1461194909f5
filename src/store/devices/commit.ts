/** The commit of everything that one protocol step changed (`SessionChanges`), as one unit. */
import type { SessionChanges } from '../../domain/changes.ts';
import type { CommittedEvent } from '../../domain/event.ts';
import type { MessageChange } from '../../domain/message.ts';
import { type AppStateWriter, appStateWriter } from './app-state.ts';
import type { Context } from '../context.ts';
import { makeFence } from '../cluster/fence.ts';
import { type WriteEvents, eventWriter } from '../events/event-writer.ts';
import { keyWriter } from './signal-keys.ts';
import { type WriteMessages, messageWriter } from '../messages/message-writer.ts';
import { type Unit, prepare, prepareRows } from '../unit.ts';

export const credentialsContext = (deviceId: number): string => `credentials/${deviceId}`;
export const inboxContext = (deviceId: number, key: string): string => `inbox/${deviceId}/${key}`;

const queriesOf = ({ sql }: Context) => ({
  putCredentials: prepare((p: { deviceId: number; value: Uint8Array }) =>
    sql
      .insertInto('credentials')
      .values({ device_id: p.deviceId, value: p.value })
      .onConflict((c) => c.column('device_id').doUpdateSet((e) => ({ value: e.ref('excluded.value') }))),
  ),
  putInbox: prepareRows((rows: { deviceId: number; key: string; plaintext: Uint8Array; now: number }[]) =>
    sql
      .insertInto('inbox')
      .values(rows.map((p) => ({ device_id: p.deviceId, key: p.key, plaintext: p.plaintext, created_at: p.now })))
      .onConflict((c) => c.doNothing()),
  ),
  deleteCredentials: prepare((p: { deviceId: number }) =>
    sql.deleteFrom('credentials').where('device_id', '=', p.deviceId),
  ),
  deleteKeys: prepare((p: { deviceId: number }) => sql.deleteFrom('signal_keys').where('device_id', '=', p.deviceId)),
  deleteInbox: prepare((p: { deviceId: number }) => sql.deleteFrom('inbox').where('device_id', '=', p.deviceId)),
});

interface Writer {
  readonly context: Context;
  readonly queries: ReturnType<typeof queriesOf>;
  readonly writeKeys: ReturnType<typeof keyWriter>;
  readonly appState: AppStateWriter;
  readonly writeMessages: WriteMessages;
  readonly writeEvents: WriteEvents;
}

function* writeAuthentication(writer: Writer, deviceId: number, changes: SessionChanges): Unit<void> {
  const { queries, context } = writer;
  const { sealer } = context;
  if (changes.credentials !== undefined) {
    const value = sealer.seal(changes.credentials, credentialsContext(deviceId));
    yield* queries.putCredentials.all({ deviceId, value });
  }
  yield* writer.writeKeys(deviceId, changes.keys ?? []);
  const { inbox = [] } = changes;
  if (inbox.length === 0) return;
  const now = context.now();
  yield* queries.putInbox.write(
    inbox.map(({ key, plaintext }) => {
      return { deviceId, key, plaintext: sealer.seal(plaintext, inboxContext(deviceId, key)), now };
    }),
  );
}

/** The device's row comes first: it tells whether the device exists, and (where it is written) keeps other writers of its log out. */
function* writeChanges(writer: Writer, deviceId: number, changes: SessionChanges): ReturnType<WriteEvents> {
  const taken = new Set<MessageChange>();
  const events = yield* writer.writeEvents(deviceId, changes, taken);
  yield* writeAuthentication(writer, deviceId, changes);
  yield* writer.writeMessages(deviceId, changes, taken);
  if (changes.appState !== undefined || changes.appStateReset !== undefined) {
    yield* writer.appState.write(deviceId, changes);
  }
  return events;
}

const hasAuthentication = ({ credentials, keys = [], inbox = [], appState = [] }: SessionChanges): boolean =>
  credentials !== undefined || keys.length > 0 || inbox.length > 0 || appState.length > 0;

export interface ChangeWriter {
  /** Throws DeviceNotFound for a device that is gone. */
  readonly write: (deviceId: number, changes: SessionChanges, epoch: number | null) => Unit<readonly CommittedEvent[]>;
  /** Forgets the authentication of a device first. */
  readonly clear: (deviceId: number, changes: SessionChanges, epoch: number | null) => Unit<readonly CommittedEvent[]>;
}

export const changeWriter = (context: Context): ChangeWriter => {
  const queries = queriesOf(context);
  const fence = makeFence(context);
  const writer = {
    context,
    queries,
    writeKeys: keyWriter(context),
    appState: appStateWriter(context),
    writeMessages: messageWriter(context),
    writeEvents: eventWriter(context),
  };
  return {
    write: function* write(deviceId, changes, epoch) {
      yield* fence(deviceId, epoch, hasAuthentication(changes));
      return yield* writeChanges(writer, deviceId, changes);
    },
    clear: function* clear(deviceId, changes, epoch) {
      yield* fence(deviceId, epoch, true);
      yield* queries.deleteCredentials.all({ deviceId });
      yield* queries.deleteKeys.all({ deviceId });
      yield* queries.deleteInbox.all({ deviceId });
      yield* writer.appState.clear(deviceId);
      return yield* writeChanges(writer, deviceId, changes);
    },
  };
};
