/** A device's stored groups. Changes are reported in the transaction that writes them, so one that arrives several ways is reported once. */
import { Mutex } from 'async-mutex';
import type { BinaryNode } from '../library/nodes.ts';
import type { SessionChanges, Report } from '../../domain/changes.ts';
import type { Clock } from '../../domain/clock.ts';
import { applyChange, changesBetween } from '../../domain/groups/changes.ts';
import { type GroupChange, groupsListed, isFreshGroup, type KeptGroup } from '../../domain/groups/group.ts';
import type { Jid } from '../../domain/jid.ts';
import { type Person, isSamePerson } from '../../domain/messages/parts.ts';
import type { GroupStore } from '../../domain/stores.ts';
import { nextTurn } from '../../domain/turns.ts';
import type { DeviceMemory } from '../state/device-memory.ts';
import type { SessionStore } from '../state/session-store.ts';
import type { Peek } from '../identity/people.ts';
import { timeOrNull } from '../translate/parts/limits.ts';
import {
  type Notice,
  readNotice,
  asMember,
  chatsEntered,
  heldByFormerMembers,
  isOutdated,
  left,
  withKept,
} from './notices.ts';
import { readGroup } from './read-group.ts';
import { eventOf, type Source, updatedOf } from './reports.ts';

export interface StoredGroupsParts {
  readonly deviceId: number;
  readonly store: Pick<SessionStore, 'commit' | 'readKeys'>;
  readonly groups: Pick<GroupStore, 'find' | 'all'>;
  readonly memory: Pick<DeviceMemory, 'groups'>;
  readonly me: () => Person;
  readonly peek: Peek;
  /** Stores the addresses found in a stanza. */
  readonly learn: (node: BinaryNode) => Promise<void>;
  readonly askAll: () => Promise<readonly BinaryNode[]>;
  readonly askOne: (group: Jid) => Promise<BinaryNode>;
  readonly clock: Clock;
}

/** Of a commit; a group counts as one. */
const membersAtOnce = 2_000;

export class StoredGroups {
  readonly #parts: StoredGroupsParts;
  readonly #mutex = new Mutex();
  readonly #doubted = new Set<Jid>();
  #commits = 0;

  constructor(parts: StoredGroupsParts) {
    this.#parts = parts;
  }

  /** Call before the notification is acknowledged. */
  notice(node: BinaryNode): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      const { clock, peek, learn } = this.#parts;
      await learn(node);
      const now = clock.now();
      const { id, from: jid = '', t } = node.attrs;
      const { by, steps } = readNotice(node, { peek, now });
      if (steps.length === 0) return;
      await this.#take(jid, steps, { by, at: timeOrNull(t) ?? now, key: id ?? null });
    });
  }

  /** A change requested by this account. `key`: equal to that of its notification. */
  made(jid: Jid, change: GroupChange | 'deleted', key?: string): Promise<void> {
    const by = this.#parts.me();
    const changed = { versions: null, ...(key !== undefined && { key }) };
    const step: Notice = change === 'deleted' ? { kind: change } : { kind: 'change', change, ...changed };
    return this.#mutex.runExclusive(() => this.#take(jid, [step], { by, at: this.#parts.clock.now(), key: null }));
  }

  async leftCommunity(community: Jid): Promise<void> {
    const { deviceId, groups, me } = this.#parts;
    const isOfIt = (group: KeptGroup): boolean => group.jid === community || group.community?.jid === community;
    for (const group of await groups.all(deviceId))
      if (group.isMember && isOfIt(group)) await this.made(group.jid, { left: [me()] });
  }

  entered(node: BinaryNode, reason: 'created' | 'link', createKey?: string): Promise<KeptGroup | null> {
    return this.#mutex.runExclusive(async () => {
      const { clock, peek, me } = this.#parts;
      const group = readGroup(node, peek, clock.now());
      if (group === null) return null;
      const step: Notice = { kind: 'whole', group: { ...group, createKey }, reason };
      await this.#take(group.jid, [step], { by: me(), at: clock.now(), key: null });
      return group;
    });
  }

  /** The current description, from the store if fresh. Rejects like `askOne`. */
  async current(jid: Jid, anew = false): Promise<KeptGroup> {
    const fresh = async (): Promise<KeptGroup | null> => {
      const kept = anew ? null : await this.#kept(jid);
      return kept !== null && this.#isFresh(kept.checkedAt) ? kept : null;
    };
    return (
      (await fresh()) ??
      this.#mutex.runExclusive(async () => {
        // Another caller may have queried it meanwhile.
        const kept = await fresh();
        if (kept !== null) return kept;
        const { askOne, peek, clock } = this.#parts;
        const group = readGroup(await askOne(jid), peek, clock.now());
        if (group === null) throw new Error('the network described no group');
        return this.#describe(group);
      })
    );
  }

  async list(anew = false): Promise<void> {
    if (!anew && this.#isFresh(await this.#listedAt())) return;
    await this.#mutex.runExclusive(async () => {
      const listedAt = await this.#listedAt();
      if (anew || !this.#isFresh(listedAt)) await this.#listAll(listedAt !== 0);
    });
  }

  async doubt(): Promise<void> {
    const { deviceId, groups, memory } = this.#parts;
    for (const { jid } of await groups.all(deviceId)) this.#doubted.add(jid);
    memory.groups.clear();
    if ((await this.#listedAt()) === 0) return;
    await this.#mutex.runExclusive(() => this.#listAll(true));
  }

  /** The state after the last notification, however old; requested only if unknown or a notification was missed. */
  async lastKnown(jid: Jid): Promise<KeptGroup> {
    const kept = await this.#kept(jid);
    return kept !== null && kept.checkedAt > 0 ? kept : this.current(jid);
  }

  /** Marks a stored group as outdated, so that it is requested before use. */
  doubtOf(jid: Jid): Promise<void> {
    this.#doubted.add(jid);
    return this.#mutex.runExclusive(async () => {
      const { deviceId, groups } = this.#parts;
      const kept = await groups.find(deviceId, jid);
      if (kept?.isMember === true && this.#doubted.has(jid))
        await this.#commit({ groups: [{ ...kept, checkedAt: 0 }] });
    });
  }

  async #kept(jid: Jid): Promise<KeptGroup | null> {
    if (this.#doubted.has(jid)) return null;
    const { deviceId, groups, memory } = this.#parts;
    const known = memory.groups.get(jid);
    if (known !== undefined) return known;
    const before = this.#commits;
    const kept = await groups.find(deviceId, jid);
    if (kept?.isMember !== true) return null;
    // A change written meanwhile is newer.
    if (before === this.#commits) memory.groups.set(jid, kept);
    return kept;
  }

  #isFresh(at: number): boolean {
    return isFreshGroup(at, this.#parts.clock.now());
  }

  async #listedAt(): Promise<number> {
    const { store, deviceId } = this.#parts;
    const value = (await store.readKeys(deviceId, groupsListed.type, [groupsListed.id])).get(groupsListed.id);
    return value === undefined ? 0 : Number(Buffer.from(value).toString());
  }

  /** In parts, with turns for others: all groups together may have hundreds of thousands of members. */
  async #listAll(tells: boolean): Promise<void> {
    const { deviceId, groups, askAll, peek, clock } = this.#parts;
    const [nodes, now] = [await askAll(), clock.now()];
    const kept = new Map((await groups.all(deviceId)).map((group) => [group.jid, group]));
    const source = { by: null, at: now, key: null };
    const [written, facts]: [KeptGroup[], Report[]] = [[], []];
    const put = async (group: KeptGroup, more: readonly Report[]): Promise<void> => {
      const members = written.push(group) + written.reduce((sum, each) => sum + each.members.length, 0);
      facts.push(...more);
      if (members >= membersAtOnce) await this.#commit({ groups: written.splice(0), facts: facts.splice(0) });
    };
    for (const node of nodes) {
      const others = nextTurn();
      if (others !== null) await others;
      const group = readGroup(node, peek, now);
      if (group === null) continue;
      const result = this.#compare(kept.get(group.jid) ?? null, group, source, tells);
      await put(result.group, result.facts);
      kept.delete(group.jid);
    }
    for (const gone of kept.values())
      if (gone.isMember) await put(left(gone), [eventOf('group.left', gone, source, { reason: null })]);
    await this.#commit({ groups: written, facts, keys: [{ ...groupsListed, value: Buffer.from(String(now)) }] });
    this.#doubted.clear();
  }

  async #describe(group: KeptGroup): Promise<KeptGroup> {
    const { deviceId, groups, clock } = this.#parts;
    const source = { by: null, at: clock.now(), key: null };
    const result = this.#compare(await groups.find(deviceId, group.jid), group, source, false);
    await this.#commit({ groups: [result.group], facts: result.facts });
    this.#doubted.delete(group.jid);
    return result.group;
  }

  /** Reports differences between a new description and the stored one, and with `tells` a new group. */
  #compare(kept: KeptGroup | null, group: KeptGroup, source: Source, tells: boolean) {
    const next = withKept(group, kept);
    if (kept?.isMember !== true) {
      const joined = tells || kept !== null ? [eventOf('group.joined', next, source, { reason: null })] : [];
      return { group: next, facts: joined };
    }
    const keyOf = (n: number): string | null => (source.key === null ? null : `${source.key}/${n}`);
    const facts = changesBetween(kept, next).map((change, n) => updatedOf(next, { ...source, key: keyOf(n) }, change));
    return { group: next, facts };
  }

  async #take(jid: Jid, steps: readonly Notice[], source: Source): Promise<void> {
    const { deviceId, groups } = this.#parts;
    let group = await groups.find(deviceId, jid);
    const before = group;
    const by = source.by === null || group === null ? source.by : asMember(group, source.by);
    const facts: Report[] = [];
    for (const [index, step] of steps.entries()) {
      await nextTurn();
      const told = { ...source, by, key: source.key === null ? null : `${source.key}/${index}` };
      const result = this.#step(jid, group, step, told);
      group = result.group;
      facts.push(...result.facts);
    }
    await this.#commit({ facts, ...(group !== null && group !== before && { groups: [group] }) });
  }

  #step(jid: Jid, kept: KeptGroup | null, step: Notice, source: Source) {
    if (kept?.isMember === true && isOutdated(kept, step)) return { group: kept, facts: [] };
    if (step.kind === 'whole') {
      const group = withKept(step.group, kept);
      if (kept?.isMember === true) return this.#compare(kept, group, source, false);
      const { by } = source;
      // For a group created by somebody else, the account was added.
      const isOwn = by !== null && isSamePerson(by, this.#parts.me());
      const reason = step.reason === 'created' && !isOwn ? 'added' : step.reason;
      return { group, facts: [eventOf('group.joined', group, source, { reason })] };
    }
    if (step.kind === 'deleted') return this.#gone(jid, kept, source, 'deleted');
    return this.#change(jid, kept, step, source);
  }

  #gone(jid: Jid, kept: KeptGroup | null, source: Source, reason: 'left' | 'removed' | 'deleted') {
    if (kept?.isMember === false) return { group: kept, facts: [] };
    const event = eventOf('group.left', kept ?? { jid, subject: null }, source, { reason });
    return { group: kept === null ? null : left(kept), facts: [event] };
  }

  #change(jid: Jid, kept: KeptGroup | null, step: Extract<Notice, { kind: 'change' }>, source: Source) {
    const { change, versions, key } = step;
    const told = key === undefined ? source : { ...source, key };
    const me = this.#parts.me();
    const gone = 'removed' in change ? change.removed : 'left' in change ? change.left : [];
    if (gone.some((person) => isSamePerson(person, me))) {
      return this.#gone(jid, kept, told, 'left' in change ? 'left' : 'removed');
    }
    // A group that is not stored is known from this notification only.
    if (kept === null) return { group: null, facts: [updatedOf({ jid, subject: null }, told, change)] };
    if (!kept.isMember) return { group: kept, facts: [] };
    const { group, news } = applyChange(kept, change);
    const version = versions?.after ?? group.version;
    // `after`: the notice comes again. Else the members are requested before use: a change was missed.
    const follows = versions === null || [null, versions.before, versions.after].includes(kept.version);
    const setAt = { ...kept.setAt, ...step.setAt };
    const next = { ...group, version, setAt, checkedAt: follows ? group.checkedAt : 0 };
    return { group: next, facts: news === null ? [] : [updatedOf(next, told, news)] };
  }

  async #commit(changes: SessionChanges & { readonly facts?: readonly Report[] }): Promise<void> {
    const { deviceId, store, memory } = this.#parts;
    const { groups = [], facts = [] } = changes;
    const keys = [...(changes.keys ?? []), ...heldByFormerMembers(facts)];
    if (groups.length + facts.length + keys.length === 0) return;
    this.#commits += 1;
    for (const { jid } of groups) memory.groups.delete(jid);
    await store.commit(deviceId, { ...changes, keys, chats: chatsEntered(facts, groups) });
    this.#commits += 1;
    for (const { jid } of groups) memory.groups.delete(jid);
  }
}
