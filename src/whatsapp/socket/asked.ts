/** Maps the errors of queries to the product's errors. */
import { deviceNotConnected, HandsetError, invalidRequest } from '../../errors.ts';
import { ConnectionEnded } from './connection-ended.ts';
import { NoAnswer, Refused, refusalOf } from './query.ts';

export const noAnswer = (): HandsetError => new HandsetError('RequestTimeout', 'Request timeout');

/** For all queries of a request, which may take 30 s (docs/spec/http-interface.md, Errors). */
const answersMs = 19_000;

const inTime = async <T>(ask: () => Promise<T>): Promise<T> => {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(noAnswer()), answersMs);
  try {
    return await Promise.race([ask(), promise]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * `refusals`: messages by code. Throws InvalidRequest with one of these or the network's own text, RequestTimeout without an answer in time, and
 * DeviceNotConnected if the connection ends.
 */
export const asked = async <T>(
  deviceId: number,
  refusals: Readonly<Record<number, string>>,
  ask: () => Promise<T>,
): Promise<T> => {
  try {
    return await inTime(ask);
  } catch (error) {
    if (error instanceof NoAnswer) throw noAnswer();
    if (error instanceof ConnectionEnded) throw deviceNotConnected(deviceId);
    const code = refusalOf(error);
    if (error instanceof Refused && code !== null)
      throw invalidRequest(refusals[code] ?? `The network refused: ${error.message} (${code})`);
    throw error;
  }
};
