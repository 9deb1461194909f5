/** Commits everything one protocol step changed (`SessionChanges`), and reads the authentication state of sessions. */
import { LeaseLost } from '../../domain/lease.ts';
import type { Context, WrittenEvent } from '../base/context.ts';
import { type Unit, prepare, all, sessionUnreachableMs, sendUnreachableMs } from '../base/unit.ts';
import { Mutex } from 'async-mutex';
import type { SessionChanges } from '../../domain/changes.ts';
import { timerKey } from '../../domain/chats/chat.ts';
import { usernameKeys } from '../../domain/chats/usernames.ts';
import type { StoredEvent } from '../../domain/event.ts';
import type { MessageChange } from '../../domain/message.ts';
import type { ChangeStore, CredentialStore } from '../../domain/stores.ts';
import { appStateWriter } from './app-state.ts';
import { conversationWriter, forgetConversations } from '../chats/conversations.ts';
import { clearingWriter } from '../chats/clearing.ts';
import { updateFollower } from '../chats/updates.ts';
import { labelWriter } from '../chats/labels.ts';
import { stopWordWriter } from '../chats/suppressions.ts';
import { groupWriter } from '../groups/groups.ts';
import { keyLister, keyReader, keyWriter } from '../sealing/keys.ts';
import { eventWriter } from './event-writer.ts';
import { annotationWriter } from '../messages/annotations.ts';
import { statusWriter } from '../messages/statuses.ts';
import { messageWriter } from '../messages/message-writer.ts';
import { contextOf } from '../sealing/sealer.ts';
import { putting, adding, finding } from '../base/statements.ts';

/** `strict`: authentication state is written, which requires a lease. */
type Fence = (deviceId: number, epoch: number | null, strict: boolean) => Unit<void>;

/** Locks the lease's row until the commit, so nobody takes the device between check and write. */
const makeFence = ({ sql }: Pick<Context, 'sql'>): Fence => {
  const lease = prepare((p: { deviceId: number; epoch: number }) =>
    sql
      .selectFrom('leases')
      .select('device_id')
      .where((e) => e.and({ device_id: p.deviceId, epoch: p.epoch }))
      .forShare(),
  );
  return function* fence(deviceId, epoch, strict) {
    if (epoch === null) {
      if (strict) throw new Error(`The authentication state of device ${deviceId} was written without a lease`);
      return;
    }
    if ((yield* lease.first({ deviceId, epoch })) === undefined) throw new LeaseLost(deviceId);
  };
};

/** Credentials and keys alone. */
export const authenticationWriter = (context: Context) => {
  const { sealer } = context;
  const writeKeys = keyWriter(context);
  const putCredentials = putting(context, 'credentials', ['device_id'], ['value']);
  return function* write(deviceId: number, { credentials, keys = [] }: SessionChanges): Unit<void> {
    if (credentials !== undefined) {
      const value = sealer.seal(credentials, contextOf('credentials.value', { device_id: deviceId }));
      yield* putCredentials.write([{ device_id: deviceId, value }]);
    }
    yield* writeKeys(deviceId, keys);
  };
};

/** True if a commit may change what events of chats and contacts report; most do not. */
const mayUpdate = (changes: SessionChanges): boolean => {
  const { loaded, keys = [], chats = [], contacts = [] } = changes;
  if (loaded === true) return false;
  if (
    contacts.length > 0 ||
    (changes.blockedReset ?? changes.appState ?? changes.appStateReset ?? changes.groups) !== undefined ||
    (changes.labels ?? changes.labelMarks ?? changes.labelsReset) !== undefined
  )
    return true;
  for (const { unread, read } of chats) if ((unread ?? read) !== undefined) return true;
  for (const { type } of keys) if (type === timerKey || type === usernameKeys) return true;
  return false;
};

type Commit = (deviceId: number, changes: SessionChanges) => Unit<readonly WrittenEvent[]>;

const commitUnit = (context: Context): Commit => {
  const { sealer, now } = context;
  const putInbox = adding(context, 'inbox', ['device_id', 'key', 'plaintext', 'created_at']);
  const writeEvents = eventWriter(context);
  const writeAuthentication = authenticationWriter(context);
  const writeMessages = messageWriter(context);
  const writeAnnotations = annotationWriter(context);
  const writeAppState = appStateWriter(context);
  const writeChats = conversationWriter(context);
  const writeGroups = groupWriter(context);
  const writeLabels = labelWriter(context);
  const writeStatuses = statusWriter(context);
  const writeStopWords = stopWordWriter(context);
  const writeClearings = clearingWriter(context);
  const follow = updateFollower(context);
  return function* commit(deviceId, changes) {
    const { inbox = [] } = changes;
    const steps: MessageChange[] = [];
    const updates = mayUpdate(changes) ? yield* follow(deviceId, changes) : null;
    // First, because it checks that the device exists and locks out other writers of the log.
    const events = yield* writeEvents(deviceId, changes, steps);
    yield* writeAuthentication(deviceId, changes);
    const rows = [];
    for (const { key, plaintext: plain } of inbox) {
      const row = { device_id: deviceId, key };
      rows.push({ ...row, plaintext: sealer.seal(plain, contextOf('inbox.plaintext', row)), created_at: now() });
    }
    yield* putInbox.write(rows);
    const messages = yield* writeMessages(deviceId, changes, steps);
    if (changes.annotations !== undefined && changes.annotations.length > 0)
      yield* writeAnnotations(deviceId, changes.annotations);
    if (changes.appState !== undefined || changes.appStateReset !== undefined) yield* writeAppState(deviceId, changes);
    yield* writeChats(deviceId, changes, messages);
    if (changes.cleared !== undefined) yield* writeClearings(deviceId, changes.cleared);
    if (changes.groups !== undefined) yield* writeGroups(deviceId, changes.groups);
    if ((changes.labels ?? changes.labelMarks ?? changes.labelsReset) !== undefined)
      yield* writeLabels(deviceId, changes);
    if (changes.statuses !== undefined) yield* writeStatuses(deviceId, changes.statuses);
    const { stopWords } = changes;
    if (stopWords !== undefined)
      yield* writeStopWords(deviceId, stopWords, (wanted) => messages.some(({ id }) => id === wanted));
    if (updates === null) return events;
    const facts = yield* updates();
    return facts.length === 0 ? events : [...events, ...(yield* writeEvents(deviceId, { facts }))];
  };
};

const hasAuthentication = ({ credentials, keys = [], inbox = [], appState = [] }: SessionChanges): boolean =>
  credentials !== undefined || keys.length > 0 || inbox.length > 0 || appState.length > 0;

const unreachableMsOf = ({ messages = [] }: SessionChanges): number =>
  messages.some(({ direction, state }) => direction === 'out' && state === 'pending')
    ? sendUnreachableMs
    : sessionUnreachableMs;

/** Serializes writes to a device's log. On a shared database they would wait for each other's locks and be published out of order. */
class DeviceMutex {
  readonly #byDevice = new Map<number, Mutex>();

  async run<T>(deviceId: number, write: () => Promise<T>): Promise<T> {
    const mutex = this.#byDevice.get(deviceId) ?? new Mutex();
    this.#byDevice.set(deviceId, mutex);
    try {
      return await mutex.runExclusive(write);
    } finally {
      if (!mutex.isLocked()) this.#byDevice.delete(deviceId);
    }
  }
}

const asInTheLog = (events: readonly WrittenEvent[]): readonly StoredEvent[] => {
  const stored: StoredEvent[] = [];
  for (const { id, deviceId, at, event } of events) stored.push({ id, deviceId, at, event });
  return stored;
};

export const credentialStore = (context: Context): CredentialStore => {
  const { database, sealer } = context;
  const credentials = finding(context, 'credentials', ['value'], ['device_id']);
  const inbox = finding(context, 'inbox', ['plaintext'], ['device_id', 'key']);
  const readKeys = keyReader(context);
  return {
    loadCredentials: async (deviceId) => {
      const row = await database.read(() => credentials.first({ device_id: deviceId }), sessionUnreachableMs);
      return row === undefined ? null : sealer.open(row.value, contextOf('credentials.value', { device_id: deviceId }));
    },
    readKeys: async (deviceId, type, ids) => {
      const wanted = ids.map((id) => ({ type, id }));
      const values = await database.read(() => readKeys(deviceId, wanted), sessionUnreachableMs);
      return new Map(ids.flatMap((id, n) => (values[n] === null ? [] : [[id, values[n]!]])));
    },
    readTogether: (deviceId, keys) => database.read(() => readKeys(deviceId, keys), sessionUnreachableMs),
    listKeys: keyLister(context),
    readInbox: async (deviceId, key) => {
      const place = { device_id: deviceId, key };
      const row = await database.read(() => inbox.first(place), sessionUnreachableMs);
      return row === undefined ? null : sealer.open(row.plaintext, contextOf('inbox.plaintext', place));
    },
  };
};

const ofStatuses = ['status_viewers', 'statuses'] as const;

export const changeStore = (context: Context): ChangeStore => {
  const { sql, database, published: committed } = context;
  const commit = commitUnit(context);
  const fence = makeFence(context);
  const mutex = new DeviceMutex();
  return {
    commit: async (deviceId, changes, epoch = null) => {
      const isUnflushed = changes.isUnflushed === true;
      if (!database.shared) {
        const options = isUnflushed ? { isUnflushed } : { committed };
        return asInTheLog(await database.write(() => commit(deviceId, changes), options));
      }
      const unit = function* () {
        yield* fence(deviceId, epoch, hasAuthentication(changes));
        return yield* commit(deviceId, changes);
      };
      const write = () => database.write(unit, { committed, unreachableMs: unreachableMsOf(changes) });
      const ordered = (changes.facts ?? []).length > 0 || mayUpdate(changes);
      return asInTheLog(await (ordered ? mutex.run(deviceId, write) : write()));
    },
    clearCredentials: async (deviceId, changes, epoch = null) => {
      const unit = function* () {
        if (database.shared) yield* fence(deviceId, epoch, true);
        for (const table of [
          'credentials',
          'signal_keys',
          'inbox',
          'app_state',
          'groups',
          'labels',
          'label_marks',
          ...ofStatuses,
        ] as const) {
          yield* all(sql.deleteFrom(table).where('device_id', '=', deviceId));
        }
        yield* forgetConversations(context, deviceId);
        return yield* commit(deviceId, changes);
      };
      return asInTheLog(await database.write(unit, { committed, unreachableMs: sessionUnreachableMs }));
    },
  };
};
