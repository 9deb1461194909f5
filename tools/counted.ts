/** Runs work that takes seconds, with a line that names it and counts the seconds. */
export const counted = async (what: string, work: () => Promise<void>): Promise<void> => {
  const { stderr } = process;
  const started = performance.now();
  const line = (): string => `${what}: ${Math.round((performance.now() - started) / 1000)} s`;
  const timer = stderr.isTTY ? setInterval(() => stderr.write(`\r${line()}`), 1_000) : null;
  stderr.write(stderr.isTTY ? `${what} …` : `${what} …\n`);
  try {
    await work();
  } finally {
    if (timer !== null) clearInterval(timer);
    stderr.write(`${stderr.isTTY ? '\r' : ''}${line()}\n`);
  }
};
