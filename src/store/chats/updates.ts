/** Events for changed chats, contacts and labels. Rows are compared before and after the commit, so a change without effect makes no event. */
import { isDeepStrictEqual } from 'node:util';
import type { SessionChanges, Report } from '../../domain/changes.ts';
import { timerKey } from '../../domain/chats/chat.ts';
import type { ChatSettings } from '../../domain/chats/chat-event.ts';
import type { DeviceEvent } from '../../domain/event.ts';
import { lidJid } from '../../domain/jid.ts';
import { usernameKeys } from '../../domain/chats/usernames.ts';
import type { Context } from '../base/context.ts';
import { addressesIn, isGroupName, type Name, nameHash } from '../sealing/rows.ts';
import { type Unit, all } from '../base/unit.ts';
import { timerReader } from './chat-queries.ts';
import { shownMute } from './chats.ts';
import { contactOpener } from './contacts.ts';
import { labelFollower, chatLabelReader } from './labels.ts';
import { lidOfName, usernameReader } from './usernames.ts';
import { groupFactsReader } from '../groups/groups.ts';
import { makeResolve, type Resolve, type Told } from '../messages/resolve.ts';
import { contextOf } from '../sealing/sealer.ts';

/** `isMarked`: the chat was read, or marked as read or unread. */
interface Touched extends Told {
  readonly isMarked?: boolean;
}

type State = Readonly<Record<string, unknown>>;

interface Kind {
  /** Names whose rows the changes may affect. */
  touched(deviceId: number, changes: SessionChanges): Unit<readonly Touched[]>;
  states(deviceId: number, touched: readonly Touched[], names: readonly Name[]): Unit<readonly State[]>;
  event(name: Name, change: State): DeviceEvent;
}

const batch = 500;

const hashesOf = ({ sealer }: Context, deviceId: number, names: readonly Name[]): string[] =>
  names.map(({ jid }) => nameHash(sealer, deviceId, jid));

const chatKind = (context: Context): Kind => {
  const { sql, sealer, now } = context;
  const timersOf = timerReader(context);
  const groupsOf = groupFactsReader(context);
  const labelsOf = chatLabelReader(context);
  const ofDevice = (deviceId: number) =>
    sql
      .selectFrom('chats')
      .select(['device_id', 'jid_hash', 'data', 'archived', 'pinned_at', 'muted_until', 'unread'])
      .where('device_id', '=', deviceId);

  function* dropped(deviceId: number, { appStateReset = [] }: SessionChanges): Unit<Name[]> {
    if (!appStateReset.some((kind) => kind !== 'contact')) return [];
    const set = ofDevice(deviceId).where((e) =>
      e.or([e('archived', '<>', 0), e('pinned_at', 'is not', null), e('muted_until', 'is not', null)]),
    );
    return (yield* all(set)).map((row) => sealer.openJson(row.data, contextOf('chats.data', row)));
  }

  return {
    *touched(deviceId, changes) {
      const { appState = [], chats = [], groups = [], keys = [], labelMarks = [] } = changes;
      const touched: Touched[] = yield* dropped(deviceId, changes);
      for (const { kind, jid } of appState) if (kind !== 'contact') touched.push({ jid });
      for (const { type, id } of keys) if (type === timerKey) touched.push({ jid: id });
      for (const { jid } of groups) touched.push({ jid });
      for (const { chat, messageId } of labelMarks) if (messageId === null) touched.push({ jid: chat });
      for (const { chat, chatLid, unread, read } of chats)
        if (unread !== undefined || read !== undefined)
          touched.push({ jid: chat, lid: chatLid ?? null, isMarked: true });
      return touched;
    },
    *states(deviceId, touched, names) {
      const hashes = hashesOf(context, deviceId, names);
      const rows = yield* all(ofDevice(deviceId).where('jid_hash', 'in', hashes));
      const byHash = new Map(rows.map((row) => [row.jid_hash, row]));
      const timers = yield* timersOf(deviceId, names);
      const groups = yield* groupsOf(deviceId, names);
      const labels = yield* labelsOf(deviceId, names);
      return names.map((name, index): Partial<ChatSettings> & State => {
        const row = byHash.get(hashes[index]!);
        // An unknown group, or one without a chat, shows no timer.
        const ofGroup = row === undefined ? undefined : groups.get(name.jid)?.expiresInSeconds;
        const timer = isGroupName(name) ? ofGroup : timers[index]!;
        return {
          archived: row?.archived === 1,
          pinned: (row?.pinned_at ?? null) !== null,
          mutedUntil: shownMute(row?.muted_until ?? null, now()),
          ...(timer !== undefined && { expiresInSeconds: timer }),
          labels: labels[index]!,
          ...(touched[index]!.isMarked === true && { unread: row?.unread ?? 0 }),
        };
      });
    },
    event: (name, change) => {
      const { number, lid } = addressesIn(name);
      return { type: 'chat.updated', data: { chat: name.jid, chatNumber: number, chatLid: lid, change } };
    },
  };
};

const contactKind = (context: Context): Kind => {
  const { sql, sealer } = context;
  const contactOf = contactOpener(sealer);
  const readUsernames = usernameReader(context);
  const none = { name: null, pushName: null, businessName: null, about: null, blocked: false, picture: null };
  const ofDevice = (deviceId: number) => sql.selectFrom('contacts').selectAll().where('device_id', '=', deviceId);

  function* dropped(deviceId: number, { appStateReset = [], blockedReset }: SessionChanges): Unit<Name[]> {
    const isReset = appStateReset.includes('contact');
    if (!isReset && blockedReset !== true) return [];
    const rows = yield* all(
      ofDevice(deviceId).where((e) =>
        e.or([
          ...(isReset ? [e('saved', 'is not', null)] : []),
          ...(blockedReset === true ? [e('blocked', '=', 1)] : []),
        ]),
      ),
    );
    return rows.map((row) => sealer.openJson(row.data, contextOf('contacts.data', row)));
  }

  return {
    *touched(deviceId, changes) {
      const { appState = [], contacts = [], keys = [] } = changes;
      const touched: Touched[] = yield* dropped(deviceId, changes);
      for (const change of appState)
        if (change.kind === 'contact') touched.push({ jid: change.jid, lid: change.value?.lid ?? null });
      for (const { jid, lid } of contacts) touched.push({ jid, lid: lid ?? null });
      for (const { type, id } of keys) if (type === usernameKeys) touched.push({ jid: lidJid(id) });
      return touched;
    },
    *states(deviceId, _touched, names) {
      const hashes = hashesOf(context, deviceId, names);
      const rows = yield* all(ofDevice(deviceId).where('jid_hash', 'in', hashes));
      const byHash = new Map(rows.map((row) => [row.jid_hash, row]));
      const usernames = yield* readUsernames(deviceId, names.map(lidOfName));
      return hashes.map((hash, index): State => {
        const row = byHash.get(hash);
        const username = usernames[index];
        const told = username === undefined ? {} : { username };
        if (row === undefined) return { ...none, ...told };
        const { jid: _jid, number: _number, lid: _lid, username: _username, ...state } = contactOf(row, null);
        return { ...state, ...told };
      });
    },
    event: (name, change) => ({
      type: 'contact.updated',
      data: { jid: name.jid, ...addressesIn(name), change },
    }),
  };
};

interface Seen {
  readonly name: Name;
  readonly touched: Touched;
  readonly state: State;
}

function* look(resolve: Resolve, kind: Kind, deviceId: number, touched: readonly Touched[]): Unit<readonly Seen[]> {
  const names = yield* resolve(deviceId, touched);
  const whole = new Map<string, Pick<Seen, 'name' | 'touched'>>();
  for (const [index, name] of names.entries()) {
    const before = whole.get(name.jid);
    const isMarked = before?.touched.isMarked === true || touched[index]!.isMarked === true;
    whole.set(name.jid, { name, touched: { ...touched[index]!, isMarked } });
  }
  const seen: Seen[] = [];
  const those = [...whole.values()];
  for (let start = 0; start < those.length; start += batch) {
    const part = those.slice(start, start + batch);
    const [some, called] = [part.map((each) => each.touched), part.map((each) => each.name)];
    const states = yield* kind.states(deviceId, some, called);
    for (const [index, each] of part.entries()) seen.push({ ...each, state: states[index]! });
  }
  return seen;
}

/** Members that start as null: learning the first value is no change. So it is with a username, which is no member before. */
const learned: ReadonlySet<string> = new Set(['pushName', 'businessName', 'about', 'picture']);

const changedIn = (before: State, after: State): State =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([member, value]) =>
        member in before &&
        !isDeepStrictEqual(value, before[member]) &&
        !(before[member] === null && learned.has(member)),
    ),
  );

/** Call before the commit; run the returned unit after all writes to get the events. */
export const updateFollower = (context: Context) => {
  const { sql, database, now } = context;
  const resolve = makeResolve(context);
  const kinds = [chatKind(context), contactKind(context)];
  const followLabels = labelFollower(context, resolve);

  return function* follow(deviceId: number, changes: SessionChanges): Unit<() => Unit<readonly Report[]>> {
    // Otherwise two concurrent commits would both read the row before either.
    if (database.shared) yield* all(sql.selectFrom('devices').select('id').where('id', '=', deviceId).forUpdate());
    const before: (readonly Seen[])[] = [];
    for (const kind of kinds) before.push(yield* look(resolve, kind, deviceId, yield* kind.touched(deviceId, changes)));
    const labels = yield* followLabels(deviceId, changes);
    return function* updates() {
      const reports: Report[] = [...(yield* labels())];
      for (const [index, kind] of kinds.entries()) {
        const former = before[index]!;
        // Pairs learned in this commit may rename some of them.
        const after = yield* look(
          resolve,
          kind,
          deviceId,
          former.map(({ touched }) => touched),
        );
        const states = new Map(former.map(({ touched, state }) => [touched.jid, state]));
        for (const { name, touched, state } of after) {
          const change = changedIn(states.get(touched.jid)!, state);
          if (Object.keys(change).length > 0) reports.push({ event: kind.event(name, change), at: now() });
        }
      }
      return reports;
    };
  };
};
