/**
 * Stanzas that end the process. Messages: begun three times without a commit, they are stored unread. The record is in the store, as the
 * next try may be another node's.
 * Only redelivered messages (`offline`) can have been begun before. Up to 64 are marked in one commit, and singly once one has failed.
 * Live ones are marked only if large; a connection notes once that it had live messages, and the first redelivered message after it
 * counts as begun once (docs/internals/durability.md, A message that ends the process).
 *
 * Notifications, receipts and calls: after three deaths during a login in a row, waiting ones are handled in groups whose names are stored
 * first; after another death, those of its group one by one. One that ended the process three times is acknowledged unhandled.
 */
import { hash } from 'node:crypto';
import type { Clock, Timer } from '../../domain/clock.ts';
import type { Logger } from '../../log.ts';
import type { BinaryNode } from '../library/nodes.ts';
import type { DeviceMemory } from '../state/device-memory.ts';
import type { SessionStore } from '../state/session-store.ts';
import { contentBytes } from '../translate/parts/envelope.ts';
import { KeptValue } from '../state/kept-value.ts';

/** Bytes. Large ones are marked even if live, as they have more room to do harm. */
const large = 16_384;
const maxTogether = 64;
const maxTries = 3;

/** `unread`: store without reading. `refused`: do not even decrypt, as that has failed as well. */
export type Treatment = 'read' | 'unread' | 'refused';

export interface Saved {
  readonly names: readonly string[];
  readonly times: number;
  /** Live messages were begun on the connection that wrote this. */
  readonly live: boolean;
}

export interface BegunMessagesOptions {
  readonly deviceId: number;
  readonly store: Pick<SessionStore, 'readKeys' | 'commit' | 'broken'>;
}

const nothing: Saved = { names: [], times: 0, live: false };

const isMarked = (node: BinaryNode): boolean => node.attrs.offline !== undefined || contentBytes(node) >= large;

const hashOf = (parts: readonly (string | undefined)[]): string =>
  hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 16);

const nameOf = ({ attrs: { from, participant, id } }: BinaryNode): string => hashOf([from, participant, id]);

const leading = (nodes: readonly BinaryNode[], fits: (node: BinaryNode) => boolean): readonly BinaryNode[] => {
  let count = 0;
  while (count < Math.min(nodes.length, maxTogether) && fits(nodes[count]!)) count += 1;
  return nodes.slice(0, count);
};

export class BegunMessages {
  readonly #options: BegunMessagesOptions;
  readonly #kept: KeptValue<Saved>;
  #before: Saved | null = null;
  #now = nothing;
  #marked: ReadonlySet<string> = new Set();
  #hadAgain = false;
  #hasWritten = false;

  constructor(options: BegunMessagesOptions) {
    this.#options = options;
    this.#kept = new KeptValue<Saved>(options, 'begun', nothing);
  }

  /** How many messages from the front to handle, and how. Resolves once that is written. */
  async begin(waiting: readonly BinaryNode[]): Promise<{ readonly count: number; readonly treatment: Treatment }> {
    const before = this.#before ?? (await this.#load());
    const [first] = waiting;
    if (first === undefined || !isMarked(first)) {
      if (!this.#now.live) await this.#write({ ...this.#now, live: true });
      let count = 0;
      for (const node of waiting) {
        if (count === maxTogether || isMarked(node)) break;
        count += 1;
      }
      return { count, treatment: 'read' };
    }
    const isCovered = (node: BinaryNode): boolean => this.#marked.has(nameOf(node));
    if (isCovered(first)) return { count: leading(waiting, isCovered).length, treatment: 'read' };
    const times = this.#timesOf(first, before);
    const isNew = (node: BinaryNode): boolean => isMarked(node) && !before.names.includes(nameOf(node));
    const together = times > 0 ? [first] : leading(waiting, isNew);
    this.#marked = new Set(together.map(nameOf));
    await this.#write({ ...this.#now, names: [...this.#marked], times: times + 1 });
    const treatment = times < maxTries ? 'read' : times === maxTries ? 'unread' : 'refused';
    return { count: together.length, treatment };
  }

  /** The connection has ended normally: no message is to blame. */
  async end(): Promise<void> {
    const { store } = this.#options;
    if (!this.#hasWritten || store.broken) return;
    const { names, times } = this.#now;
    const left = times - (this.#marked.size > 0 ? 1 : 0);
    await this.#write(left > 0 ? { names, times: left, live: false } : nothing);
  }

  #timesOf(node: BinaryNode, before: Saved): number {
    const isAgain = node.attrs.offline !== undefined;
    const isFirstAgain = isAgain && !this.#hadAgain;
    this.#hadAgain ||= isAgain;
    if (before.names.includes(nameOf(node))) return before.times;
    return isFirstAgain && before.live ? 1 : 0;
  }

  async saved(): Promise<Saved> {
    return this.#before ?? this.#load();
  }

  async #load(): Promise<Saved> {
    await this.#kept.load();
    this.#before = this.#kept.value;
    this.#now = { ...this.#before, live: false };
    return this.#before;
  }

  async #write(saved: Saved): Promise<void> {
    const { deviceId, store } = this.#options;
    this.#now = saved;
    this.#hasWritten = true;
    // Must survive the process, not a power cut.
    await store.commit(deviceId, { keys: [this.#kept.write(saved, saved === nothing)], isUnflushed: true });
  }
}

const settledMs = 5_000;
/** Later deaths have another cause. */
const survivedMs = 100;

const tags: ReadonlySet<string> = new Set(['notification', 'receipt', 'call']);

interface SavedLogins {
  readonly times: number;
  readonly begun: string;
  /** What was being handled, and how often the process died with it alone. */
  readonly names: readonly string[];
  readonly tries: number;
}

const noLogins: SavedLogins = { times: 0, begun: '', names: [], tries: 0 };

export interface BegunLoginsOptions {
  readonly deviceId: number;
  readonly store: Pick<SessionStore, 'readKeys' | 'commit' | 'broken'>;
  readonly begun: Pick<BegunMessages, 'saved'>;
  readonly memory: Pick<DeviceMemory, 'unread'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onStoreFailure: (error: unknown) => void;
}

interface Held {
  readonly node: BinaryNode;
  readonly name: string;
  /** Handles it, or acknowledges it unhandled. */
  readonly go: (node: BinaryNode, isRefused: boolean) => void;
}

const stanzaName = ({ tag, attrs: { id, from, participant, type, t } }: BinaryNode): string =>
  hashOf([tag, id, from, participant, type, t]);

export class BegunLogins {
  readonly #options: BegunLoginsOptions;
  readonly #kept: KeptValue<SavedLogins>;
  #before = noLogins;
  #held: Held[] = [];
  #draining: Promise<void> | null = null;
  #hasEnded = false;
  #timer: Timer | null = null;

  constructor(options: BegunLoginsOptions) {
    this.#options = options;
    this.#kept = new KeptValue<SavedLogins>(options, 'begun-login', noLogins);
  }

  /** True if waiting stanzas are to be held (`holds`). */
  async begin(): Promise<boolean> {
    await this.#kept.load();
    const begun = JSON.stringify(await this.#options.begun.saved());
    const { times, begun: before } = this.#kept.value;
    const isOfMessages = times > 0 && begun !== before;
    this.#before = { ...noLogins, ...this.#kept.value };
    await this.#write({ ...this.#before, times: isOfMessages ? times : times + 1, begun });
    return times >= maxTries && !isOfMessages;
  }

  /** True for a stanza that is passed to `go` later, in the order of these calls. */
  readonly holds = (node: BinaryNode, go: Held['go']): boolean => {
    if (node.attrs.offline === undefined || !tags.has(node.tag)) return false;
    this.#held.push({ node, name: stanzaName(node), go });
    this.#draining ??= this.#drain()
      .catch(this.#options.onStoreFailure)
      .finally(() => (this.#draining = null));
    return true;
  };

  complete(onFailure: (error: unknown) => void): void {
    this.#timer ??= this.#options.clock.after(settledMs, () => void this.#settle().catch(onFailure));
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
    this.#timer?.cancel();
    if (!this.#kept.isEmpty && !this.#options.store.broken) await this.#write(noLogins);
  }

  async #settle(): Promise<void> {
    await this.#draining;
    if (!this.#hasEnded) await this.#write(noLogins);
  }

  async #drain(): Promise<void> {
    while (this.#held.length > 0 && !this.#hasEnded) {
      const together = this.#next();
      const names = together.map(({ name }) => name);
      const { names: before, tries } = this.#before;
      const isAlone = before.length === 1 && names[0] === before[0];
      const isRefused = isAlone && tries >= maxTries;
      await this.#write({ ...this.#kept.value, names, tries: names.length > 1 ? 0 : isAlone ? tries + 1 : 1 });
      this.#held.splice(0, together.length);
      for (const { node, go } of together) {
        if (isRefused) this.#tell(node);
        go(node, isRefused);
      }
      await new Promise<void>((resolve) => void this.#options.clock.after(survivedMs, resolve));
    }
  }

  #next(): readonly Held[] {
    const isSuspect = ({ name }: Held): boolean => this.#before.names.includes(name);
    const end = this.#held.findIndex(isSuspect);
    if (end === 0) return this.#held.slice(0, 1);
    return this.#held.slice(0, Math.min(end === -1 ? this.#held.length : end, maxTogether));
  }

  #tell({ tag }: BinaryNode): void {
    const { deviceId, memory, log } = this.#options;
    memory.unread.stuck += 1;
    log.error({ deviceId, tag }, 'a stanza ended the process three times and is acknowledged unhandled');
  }

  async #write(saved: SavedLogins): Promise<void> {
    const { deviceId, store } = this.#options;
    await store.commit(deviceId, { keys: [this.#kept.write(saved, saved === noLogins)], isUnflushed: true });
  }
}
