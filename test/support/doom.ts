/** Where a process is killed on purpose: steps of the hot paths, told by what they ask of the store. */
import type { SessionChanges } from '../../src/domain/changes.ts';
import type { Stores } from '../../src/domain/stores.ts';

/** What a commit holds. */
export type Holding =
  | 'message.received'
  | 'message.sent'
  | 'message.updated'
  | 'message.deleted'
  | 'call'
  /** A message of ours on its way out. */
  | 'a pending message'
  /** A step of a ratchet and nothing that was received: an encryption. */
  | 'an encryption'
  /** A decryption: the ratchet's step with the plaintext. */
  | 'a decryption'
  | 'a sender key';

/** `before`: the call is not made. `after`: it is done, and whoever waits for it does not hear of it any more. */
export interface Doom {
  readonly when: 'before' | 'after';
  readonly call: 'commit' | 'claim' | 'record' | 'begin' | 'finish';
  readonly holding?: Holding;
  /** The how-manieth such call; 1 without it. */
  readonly nth?: number;
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
    default:
      return events.some(({ event }) => event.type === what);
  }
};

/** The stores, with a trap that can be set. */
export const doomed = (stores: Stores): { readonly stores: Stores; set(doom: Doom): void } => {
  let doom: Doom | null = null;
  let left = 0;
  const meets = (call: Doom['call'], when: Doom['when'], changes?: SessionChanges): boolean =>
    doom?.call === call &&
    doom.when === when &&
    (doom.holding === undefined || (changes !== undefined && holds(changes, doom.holding)));
  /** No handler runs and nothing is flushed: this call does not return. */
  const reach = (call: Doom['call'], when: Doom['when'], changes?: SessionChanges): void => {
    if (!meets(call, when, changes)) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
  const around = async <T>(call: Doom['call'], run: () => Promise<T>, changes?: SessionChanges): Promise<T> => {
    reach(call, 'before', changes);
    const result = await run();
    // A claim that found nothing is none.
    if (!Array.isArray(result) || call !== 'claim' || result.length > 0) reach(call, 'after', changes);
    return result;
  };
  const { credentials, outbox, idempotency } = stores;
  return {
    set(next) {
      doom = next;
      left = next.nth ?? 1;
    },
    stores: {
      ...stores,
      credentials: {
        ...credentials,
        commit: (deviceId, changes) => around('commit', () => credentials.commit(deviceId, changes), changes),
      },
      outbox: {
        ...outbox,
        claim: (request) => around('claim', () => outbox.claim(request)),
        record: (results) => around('record', () => outbox.record(results)),
      },
      idempotency: {
        ...idempotency,
        begin: (entry) => around('begin', () => idempotency.begin(entry)),
        finish: (deviceId, key) => around('finish', () => idempotency.finish(deviceId, key)),
      },
    },
  };
};
