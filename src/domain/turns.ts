/** Milliseconds of long work on the single thread in one turn of the event loop, all of it together. Other work runs in between. */
const turnMs = 1;

let began: number | null = null;
const waiting: (() => void)[] = [];

const begin = (): void => {
  began = performance.now();
  setImmediate(end);
};

const end = (): void => {
  began = null;
  const next = waiting.shift();
  if (next === undefined) return;
  begin();
  next();
};

/** A turn that nobody else works in, for work that runs after its caller has gone on, such as writes to many sockets. */
export const ownTurn = (): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.push(resolve);
  if (began === null) begin();
  return promise;
};

/** To be awaited between small pieces of long work. Null if this turn has time left, even if others wait for theirs. */
export const nextTurn = (): Promise<void> | null => {
  if (began !== null) return performance.now() - began < turnMs ? null : ownTurn();
  begin();
  return null;
};

/** Maps a list in turns. */
export const inTurns = async <From, To>(list: readonly From[], work: (item: From) => To): Promise<To[]> => {
  const done: To[] = [];
  for (const item of list) {
    const others = nextTurn();
    if (others !== null) await others;
    done.push(work(item));
  }
  return done;
};
