/** Calls `end` if the reader abandons the stream. A generator that was never started runs no `finally`. */
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
