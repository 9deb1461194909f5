/** Streams that are abandoned before they have been read. */

/** Calls `end` when the reader abandons the stream: a generator that was never started runs no `finally`. */
export const onAbandoned = <T>(
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
