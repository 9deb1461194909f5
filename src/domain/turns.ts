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

/** Called between small pieces of work. Null while this turn has time left. */
export const nextTurn = (): Promise<void> | null => {
  if (began === null) {
    begin();
    return null;
  }
  if (waiting.length === 0 && performance.now() - began < turnMs) return null;
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.push(resolve);
  return promise;
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
