/** Work in several lines at a time. */

/** `lines` at a time until `count` are done; the time it took, ms. `send` gets the number of its line. */
export const inLines = async (
  count: number,
  lines: number,
  send: (line: number, left: number) => Promise<unknown>,
): Promise<number> => {
  const began = performance.now();
  let left = count;
  const line = async (number: number): Promise<void> => {
    while (left-- > 0) await send(number, left);
  };
  await Promise.all(Array.from({ length: lines }, (_, number) => line(number)));
  return performance.now() - began;
};
