/**
 * Steps of the hot paths at which a process is stopped on purpose, told by what they ask of the store. A step that is
 * stopped never goes on, and the process is killed then: what is on disk is what a kill at that very step leaves there.
 */
import type { SessionChanges } from '../../../src/domain/changes.ts';
import type { CommittedEvent } from '../../../src/domain/event.ts';
import type { Stores } from '../../../src/domain/stores.ts';

/** The content of a commit. */
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
  | 'device.deleted'
  | 'chat.settled'
  /** A message of ours on its way out. */
  | 'a pending message'
  /** A step of a ratchet and nothing that was received. */
  | 'an encryption'
  /** A ratchet's step with what it has decrypted. */
  | 'a decryption'
  /** Somebody's sender key for a group. */
  | 'a sender key'
  | 'a key of the application state'
  /** Kept to be read. */
  | 'a chunk of history'
  | 'messages of the history';

export interface Trap {
  /** Before the call is made, or when it is done and whoever waits for it has not heard of it. */
  readonly when: 'before' | 'after';
  readonly call: 'commit' | 'claim' | 'record' | 'begin' | 'finish' | 'markKept' | 'publish';
  /** Null: of any device. */
  readonly deviceId: number | null;
  readonly holding?: Holding;
  /** Part of the text of a message in it. */
  readonly text?: string;
  /** The how-manieth such call; 1 without it. */
  readonly nth?: number;
}

interface Step {
  readonly when: Trap['when'];
  readonly call: Trap['call'];
  readonly deviceId: number | null;
  readonly changes: SessionChanges | null;
}

const holds = (changes: SessionChanges, what: Holding): boolean => {
  const { messages = [], events = [], keys = [], inbox } = changes;
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
      return events.some(({ event }) => event.type === what);
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

  /** `onHeld` is told how many steps are held. */
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

  /** Nobody waits for those who hear of an event, so nothing can be held there: the process ends itself. */
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

  /** The stores with the traps between them and who uses them. */
  around(stores: Stores): Stores {
    const { credentials, outbox, idempotency, keptMedia } = stores;
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
      credentials: {
        ...credentials,
        commit: (deviceId, committed, epoch) =>
          this.#around({ call: 'commit', deviceId, changes: committed }, () =>
            credentials.commit(deviceId, committed, epoch),
          ),
      },
      outbox: {
        ...outbox,
        claim: async (request) => {
          const due = await outbox.claim(request);
          // A claim that found nothing is none.
          for (const { deviceId } of due) await this.#reach({ when: 'after', call: 'claim', deviceId, changes });
          return due;
        },
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
