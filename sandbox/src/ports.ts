/** Starting servers on the port of the last time, or on any. */

const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

/** Starts on `port`; where that is only a wish and somebody else has it, on any free one. */
export const onPort = async <T>(port: number, fixed: boolean, start: (port: number) => Promise<T>): Promise<T> => {
  try {
    return await start(port);
  } catch (error) {
    if (fixed || port === 0 || !isTaken(error)) throw error;
    return start(0);
  }
};
