/**
 * Steps of the hot paths at which a process is stopped on purpose, identified by their calls to the store. A stopped step never continues,
 * and the process is then killed: the disk is as a kill at that step leaves it.
 */
import { eventOf } from '../../../src/store/commit/events-of.ts';
import type { SessionChanges } from '../../../src/domain/changes.ts';
import type { CommittedEvent } from '../../../src/domain/event.ts';
import type { Stores } from '../../../src/domain/stores.ts';

/** Content of a commit. */
export type Holding =
  | 'message.received'
  | 'message.sent'
  | 'message.updated'
  | 'message.deleted'
  | 'call'
  | 'connection.closed'
  | 'group.updated'
  | 'group.joined'
  | 'group.left'
  | 'device.created'
  | 'device.deleted'
  | 'chat.settled'
  /** An outgoing message. */
  | 'a pending message'
  /** A ratchet step without anything received. */
  | 'an encryption'
  /** A ratchet step with what it decrypted. */
  | 'a decryption'
  /** A sender key for a group. */
  | 'a sender key'
  | 'a key of the application state'
  /** Stored for later reading. */
  | 'a chunk of history'
  | 'messages of the history';

export interface Trap {
  /** Before the call, or after it but before its caller learns of it. */
  readonly when: 'before' | 'after';
  readonly call: 'commit' | 'claim' | 'record' | 'begin' | 'finish' | 'markKept' | 'publish';
  /** Null: any device. */
  readonly deviceId: number | null;
  readonly holding?: Holding;
  /** Part of a message's text in it. */
  readonly text?: string;
  /** Which such call; the first by default. */
  readonly nth?: number;
}

interface Step {
  readonly when: Trap['when'];
  readonly call: Trap['call'];
  readonly deviceId: number | null;
  readonly changes: SessionChanges | null;
}

const holds = (changes: SessionChanges, what: Holding): boolean => {
  const { messages = [], facts = [], keys = [], inbox } = changes;
  switch (what) {
    case 'a pending message':
      return messages.some(({ state }) => state === 'pending');
    case 'an encryption':
      return inbox === undefined && keys.some(({ type, value }) => type === 'session' && value !== null);
    case 'a decryption':
      return inbox !== undefined;
    case 'a sender key':
      return inbox === undefined && keys.some(({ type }) => type === 'sender-key');
    case 'a key of the application state':
      return keys.some(({ type, value }) => type === 'app-state-sync-key' && value !== null);
    case 'a chunk of history':
      return keys.some(({ type, value }) => type === 'history-chunk' && value !== null);
    case 'messages of the history':
      return messages.some(({ historic }) => historic === true);
    default:
      return facts.some((fact) => eventOf(fact).event.type === what);
  }
};

const fits = (trap: Trap, { when, call, deviceId, changes }: Step): boolean =>
  trap.when === when &&
  trap.call === call &&
  (trap.deviceId === null || trap.deviceId === deviceId) &&
  (trap.holding === undefined || (changes !== null && holds(changes, trap.holding))) &&
  (trap.text === undefined || changes?.messages?.some(({ text }) => text?.includes(trap.text!)) === true);

export class Traps {
  readonly #set: { readonly trap: Trap; left: number }[] = [];
  readonly #onHeld: (held: number) => void;
  #held = 0;

  /** `onHeld` gets the number of held steps. */
  constructor(onHeld: (held: number) => void) {
    this.#onHeld = onHeld;
  }

  add(trap: Trap): void {
    this.#set.push({ trap, left: trap.nth ?? 1 });
  }

  async #reach(step: Step): Promise<void> {
    const found = this.#set.find(({ trap }) => fits(trap, step));
    if (found === undefined) return;
    found.left -= 1;
    if (found.left > 0) return;
    this.#held += 1;
    this.#onHeld(this.#held);
    await new Promise<never>(() => undefined);
  }

  /** Nobody waits for listeners, so nothing can be held here: the process exits instead. */
  #publish(events: readonly CommittedEvent[]): void {
    const fit = ({ trap }: { readonly trap: Trap }): boolean =>
      trap.call === 'publish' && events.some(({ event }) => event.type === trap.holding);
    if (this.#set.some(fit)) process.kill(process.pid, 'SIGKILL');
  }

  async #around<T>(step: Omit<Step, 'when'>, run: () => Promise<T>): Promise<T> {
    await this.#reach({ ...step, when: 'before' });
    const result = await run();
    await this.#reach({ ...step, when: 'after' });
    return result;
  }

  /** Wraps the stores with the traps. */
  around(stores: Stores): Stores {
    const { outbox, idempotency, keptMedia } = stores;
    const changes = null;
    return {
      ...stores,
      onEvents: (listener) =>
        stores.onEvents((events) => {
          this.#publish(events);
          listener(events);
        }),
      keptMedia: {
        ...keptMedia,
        markKept: (...kept) =>
          this.#around({ call: 'markKept', deviceId: null, changes }, () => keptMedia.markKept(...kept)),
      },
      changes: {
        ...stores.changes,
        commit: (deviceId, committed, epoch) =>
          this.#around({ call: 'commit', deviceId, changes: committed }, () =>
            stores.changes.commit(deviceId, committed, epoch),
          ),
      },
      outbox: {
        ...outbox,
        claim: async (request) => {
          const due = await outbox.claim(request);
          // A claim without a result does not count.
          for (const { deviceId } of due) await this.#reach({ when: 'after', call: 'claim', deviceId, changes });
          return due;
        },
        // What a commit has claimed counts as a claim.
        takeFresh: (taker) =>
          outbox.takeFresh({
            ...taker,
            take: async (due) => {
              await this.#reach({ when: 'after', call: 'claim', deviceId: due.deviceId, changes });
              taker.take(due);
            },
          }),
        record: (results) =>
          this.#around({ call: 'record', deviceId: results[0]?.deviceId ?? null, changes }, () =>
            outbox.record(results),
          ),
      },
      idempotency: {
        ...idempotency,
        begin: (entry) =>
          this.#around({ call: 'begin', deviceId: entry.deviceId, changes }, () => idempotency.begin(entry)),
        finish: (deviceId, key) =>
          this.#around({ call: 'finish', deviceId, changes }, () => idempotency.finish(deviceId, key)),
      },
    };
  }
}
