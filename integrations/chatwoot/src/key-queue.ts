/** One thing after another for each key, in the order of arrival. */

/** Runs `work` when all earlier work of the key has ended, however it ended. */
export const keyQueue = () => {
  const last = new Map<string | number, Promise<unknown>>();
  return <T>(key: string | number, work: () => Promise<T>): Promise<T> => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, mine);
    const forget = (): void => {
      if (last.get(key) === mine) last.delete(key);
    };
    void mine.then(forget, forget);
    return mine;
  };
};
