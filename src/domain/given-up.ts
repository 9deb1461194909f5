/** Streams that are given up before they have been read. */

/** Calls `end` when nobody wants the rest: of a generator that nobody has begun to read, no `finally` is run. */
export const whenGivenUp = <T>(
  pieces: AsyncGenerator<T, void, void>,
  end: () => void,
): AsyncGenerator<T, void, void> => {
  const finish = pieces.return.bind(pieces);
  pieces.return = (value) => {
    end();
    return finish(value);
  };
  return pieces;
};
