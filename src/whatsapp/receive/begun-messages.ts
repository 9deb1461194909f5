/**
 * Messages whose handling has begun, so that one which ends the process each time is found out: begun three times without a commit, it is stored without
 * being read. What has begun is in the store, as the next try may be another node's.
 *
 * Only a message that the network delivers again has been begun before, and it says so (`offline`). Up to 64 of those are marked in one commit, and once one
 * of them has failed, each by itself. What comes live is not marked, but for the largest; a connection marks once that it has had live messages, and the
 * first message that is delivered again after such a one counts as begun once (docs/internals/durability.md, A message that ends the process).
 */
import { hash } from 'node:crypto';
import type { BinaryNode } from '../engine/nodes.ts';
import type { SessionStore } from '../state/session-store.ts';
import { ciphertextsOf } from '../translate/parts/envelope.ts';
import { KeptValue } from '../state/kept-value.ts';

/** Larger ones are marked even where they come live: they have more room to do harm. Bytes. */
const large = 16_384;
/** Messages that are marked in one commit. */
const maxTogether = 64;
/** Tries to read a message. */
const maxTries = 3;

/** `unread`: to be stored without being read. `refused`: not even to be decrypted, as that has failed as well. */
export type Treatment = 'read' | 'unread' | 'refused';

interface Saved {
  /** The messages that were begun last. */
  readonly names: readonly string[];
  /** How often they were begun. */
  readonly times: number;
  /** Messages that came live were begun on the connection that wrote this. */
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
  /** As earlier connections have left it. */
  #before: Saved | null = null;
  #now = nothing;
  /** Names of those that were marked on this connection last. */
  #marked: ReadonlySet<string> = new Set();
  #hadAgain = false;
  #hasWritten = false;

  constructor(options: BegunMessagesOptions) {
    this.#options = options;
    this.#kept = new KeptValue<Saved>(options, 'begun', nothing);
  }

  /** How many of the messages in front may be handled now, all of them in this way. Resolves once that they have begun is written. */
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

  /** The connection has ended, and the process has not: what was under way is not to blame. */
  async end(): Promise<void> {
    const { store } = this.#options;
    if (!this.#hasWritten || store.broken) return;
    const { names, times } = this.#now;
    const left = times - (this.#marked.size > 0 ? 1 : 0);
    await this.#write(left > 0 ? { names, times: left, live: false } : nothing);
  }

  /** How often a message was begun before. */
  #timesOf(node: BinaryNode, before: Saved): number {
    const isFirstAgain = isAgain(node) && !this.#hadAgain;
    this.#hadAgain ||= isAgain(node);
    if (before.names.includes(nameOf(node))) return before.times;
    return isFirstAgain && before.live ? 1 : 0;
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
    await store.commit(deviceId, { keys: [this.#kept.write(saved, saved === nothing)] });
  }
}
