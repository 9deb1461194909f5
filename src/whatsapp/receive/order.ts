/** Runs one thing after the other, in the order in which they were given. */

/** What fails is reported, and does not stop what comes after it. */
export const inOrder = (onFailure: (error: unknown) => void): ((work: () => void | Promise<void>) => void) => {
  let tail: Promise<void> = Promise.resolve();
  return (work) => {
    tail = tail.then(work).catch(onFailure);
  };
};
