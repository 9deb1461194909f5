/** Milliseconds of long work per turn of the event loop, in total. Other work runs in between. */
const turnMs = 1;
const rounds = 4;

let began: number | null = null;
const waiting: (() => void)[] = [];

const pass = (left: number): void => void setImmediate(() => (left === 1 ? end() : pass(left - 1)));

const begin = (): void => {
  began = performance.now();
  pass(rounds);
};

const end = (): void => {
  began = null;
  const next = waiting.shift();
  if (next === undefined) return;
  begin();
  next();
};

/** An exclusive turn, for work after its caller has gone on, such as writes to many sockets. */
export const ownTurn = (): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.push(resolve);
  if (began === null) begin();
  return promise;
};

/** Await between small pieces of long work. Null if this turn has time left. */
export const nextTurn = (): Promise<void> | null => {
  if (began !== null) return performance.now() - began < turnMs ? null : ownTurn();
  begin();
  return null;
};

/** As `nextTurn`, after every so many pieces: a store in this process is read and written without leaving the turn of the event loop. */
export const turnsAfter = (pieces: number): (() => Promise<void> | null) => {
  let done = 0;
  return () => {
    done += 1;
    return done % pieces === 0 ? nextTurn() : null;
  };
};

export const inTurns = async <From, To>(list: readonly From[], work: (item: From) => To): Promise<To[]> => {
  const done: To[] = [];
  for (const item of list) {
    const others = nextTurn();
    if (others !== null) await others;
    done.push(work(item));
  }
  return done;
};

export interface Operation {
  readonly kind: 'stanza' | 'message' | 'request' | 'history';
  readonly deviceId?: number | null | undefined;
  readonly stanza?: string;
  readonly route?: string;
}

/** A stretch of the event loop with its operation, to name one that blocks it. Contains no content. */
export interface Stretch {
  readonly operation: Operation | null;
  readonly ms: number;
}

const none: Stretch = { operation: null, ms: 0 };

let [operation, since]: [Operation | null, number] = [null, performance.now()];
let longest = none;

export const noteOperation = (next: Operation | null): void => {
  const now = performance.now();
  if (now - since > longest.ms) longest = { operation, ms: now - since };
  [operation, since] = [next, now];
};

export const longestStretch = (): Stretch => {
  noteOperation(null);
  const found = longest;
  longest = none;
  return found;
};

export interface LoopReport {
  readonly blocked: Readonly<Record<Operation['kind'] | 'other', number>>;
  readonly longest: Stretch | null;
  readonly lastAt: number | null;
}
