/** What phones do once whoever hands them something is done with it: all of it in one go, at the end of the turn. */

const waiting: (() => void)[] = [];
const now = Promise.resolve();

const runAll = (): void => {
  // What comes meanwhile is done, too.
  for (let at = 0; at < waiting.length; at += 1) waiting[at]!();
  waiting.length = 0;
};

/** `work` throws nothing. */
export const soon = (work: () => void): void => {
  if (waiting.push(work) === 1) void now.then(runAll);
};
