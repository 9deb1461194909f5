/**
 * Detects notifications, receipts and calls that end the process. After three deaths during a login in a row, waiting ones are handled in
 * groups whose names are stored first; after another death, those of its group one by one. One that ended the process three times is
 * acknowledged unhandled. Messages are counted separately (`begun-messages.ts`).
 */
import { hash } from 'node:crypto';
import type { Clock, Timer } from '../../domain/clock.ts';
import type { Logger } from '../../log.ts';
import type { BinaryNode } from '../library/nodes.ts';
import { KeptValue } from '../state/kept-value.ts';
import type { DeviceMemory } from '../state/device-memory.ts';
import type { SessionStore } from '../state/session-store.ts';
import type { BegunMessages } from './begun-messages.ts';

const maxTries = 3;
const settledMs = 5_000;
const maxTogether = 64;
/** Later deaths have another cause. */
const survivedMs = 100;

const tags: ReadonlySet<string> = new Set(['notification', 'receipt', 'call']);

interface Saved {
  readonly times: number;
  readonly begun: string;
  /** What was being handled, and how often the process died with it alone. */
  readonly names: readonly string[];
  readonly tries: number;
}

const nothing: Saved = { times: 0, begun: '', names: [], tries: 0 };

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

const nameOf = (node: BinaryNode): string => {
  const { id, from, participant, type, t } = node.attrs;
  return hash('sha256', JSON.stringify([node.tag, id, from, participant, type, t]), 'base64url').slice(0, 16);
};

export class BegunLogins {
  readonly #options: BegunLoginsOptions;
  readonly #kept: KeptValue<Saved>;
  #before = nothing;
  #isCautious = false;
  #held: Held[] = [];
  #draining: Promise<void> | null = null;
  #hasEnded = false;
  #timer: Timer | null = null;

  constructor(options: BegunLoginsOptions) {
    this.#options = options;
    this.#kept = new KeptValue<Saved>(options, 'begun-login', nothing);
  }

  async begin(): Promise<void> {
    await this.#kept.load();
    const begun = JSON.stringify(await this.#options.begun.saved());
    const { times, begun: before } = this.#kept.value;
    const isOfMessages = times > 0 && begun !== before;
    this.#isCautious = times >= maxTries && !isOfMessages;
    this.#before = { ...nothing, ...this.#kept.value };
    await this.#write({ ...this.#before, times: isOfMessages ? times : times + 1, begun });
  }

  /** True for a stanza that is passed to `go` later, in the order of these calls. */
  readonly holds = (node: BinaryNode, go: Held['go']): boolean => {
    if (!this.#isCautious || node.attrs.offline === undefined || !tags.has(node.tag)) return false;
    this.#held.push({ node, name: nameOf(node), go });
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
    if (!this.#kept.isEmpty && !this.#options.store.broken) await this.#write(nothing);
  }

  async #settle(): Promise<void> {
    await this.#draining;
    if (!this.#hasEnded) await this.#write(nothing);
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

  async #write(saved: Saved): Promise<void> {
    const { deviceId, store } = this.#options;
    await store.commit(deviceId, { keys: [this.#kept.write(saved, saved === nothing)], isUnflushed: true });
  }
}
