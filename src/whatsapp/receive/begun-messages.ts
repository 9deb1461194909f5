/**
 * Detects messages that end the process: begun three times without a commit, they are stored unread. The record is in the store, as the
 * next try may be another node's.
 * Only redelivered messages (`offline`) can have been begun before. Up to 64 are marked in one commit, and singly once one has failed.
 * Live ones are marked only if large; a connection notes once that it had live messages, and the first redelivered message after it
 * counts as begun once (docs/internals/durability.md, A message that ends the process).
 */
import { hash } from 'node:crypto';
import type { BinaryNode } from '../library/nodes.ts';
import type { SessionStore } from '../state/session-store.ts';
import { ciphertextsOf } from '../translate/parts/envelope.ts';
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

const isAgain = ({ attrs }: BinaryNode): boolean => attrs.offline !== undefined;

const isMarked = (node: BinaryNode): boolean =>
  isAgain(node) || ciphertextsOf(node).reduce((sum, { length }) => sum + length, 0) >= large;

const nameOf = ({ attrs: { from, participant, id } }: BinaryNode): string =>
  hash('sha256', JSON.stringify([from, participant, id]), 'base64url').slice(0, 16);

const leading = (nodes: readonly BinaryNode[], fits: (node: BinaryNode) => boolean): readonly BinaryNode[] => {
  const end = nodes.findIndex((node) => !fits(node));
  return nodes.slice(0, Math.min(end === -1 ? nodes.length : end, maxTogether));
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
      return { count: leading(waiting, (node) => !isMarked(node)).length, treatment: 'read' };
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
    const isFirstAgain = isAgain(node) && !this.#hadAgain;
    this.#hadAgain ||= isAgain(node);
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
