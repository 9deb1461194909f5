/** Questions to the network by the engine: its refusals and its silence as errors of the product. */
import { Unanswered } from './account-queries.ts';
import { deviceNotConnected, HandsetError, invalidRequest } from '../../errors.ts';
import { type BinaryNode, DEF_TAG_PREFIX } from './nodes.ts';
import type { WASocket } from './types.ts';
import type { Line } from './line/line.ts';

/** The code of the refusal; null for a question that was not answered. */
export const refusalOf = (error: unknown): number | null => {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'data') : null;
  return typeof code === 'number' ? code : null;
};

const lost = 428;
const connectionCodes: ReadonlySet<number | null> = new Set([lost, 440, 515]);

/** The engine's errors: `data` is the code of a refusal, `output.statusCode` says why there is no answer (Baileys `generics.js`, rc14). */
const codeIn = (error: unknown): { readonly refusal: number | null; readonly status: number | null } => {
  // A question that was open when the connection ended is rejected with the code of its end, a bare number.
  if (typeof error === 'number') return { refusal: null, status: lost };
  if (!(error instanceof Error)) return { refusal: null, status: null };
  const output: unknown = Reflect.get(error, 'output');
  const status: unknown = typeof output === 'object' && output !== null ? Reflect.get(output, 'statusCode') : null;
  const data: unknown = Reflect.get(error, 'data');
  return { refusal: typeof data === 'number' ? data : null, status: typeof status === 'number' ? status : null };
};

/** A question that the network refuses with this code and text. */
export class Refused extends Error {
  readonly code: number;

  constructor(code: number, text: string) {
    super(text);
    this.code = code;
  }
}

export const noAnswer = (): HandsetError => new HandsetError('RequestTimeout', 'Request timeout');

/**
 * Less than the engine's own time, since it takes silence for an answer (`waitForMessage` resolves with nothing, rc14): what may not have happened
 * must not be told as done.
 */
const answerMs = 19_000;

const inTime = async <T>(ask: () => Promise<T>): Promise<T> => {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(noAnswer()), answerMs);
  try {
    return await Promise.race([ask(), promise]);
  } finally {
    clearTimeout(timer);
  }
};

/** Whether the network left a question open until its time was over. */
export const isSilence = (error: unknown): boolean => error instanceof Unanswered || codeIn(error).status === 408;

/**
 * `refusals`: words by code. Throws InvalidRequest with them, or with the network's own words; RequestTimeout where nothing comes in time, and
 * DeviceNotConnected where the connection ends.
 */
export const asked = async <T>(
  deviceId: number,
  refusals: Readonly<Record<number, string>>,
  ask: () => Promise<T>,
): Promise<T> => {
  try {
    return await inTime(ask);
  } catch (error) {
    if (error instanceof HandsetError) throw error;
    if (isSilence(error)) throw noAnswer();
    const { refusal, status } = error instanceof Refused ? { refusal: error.code, status: null } : codeIn(error);
    if (refusal !== null) {
      const words = error instanceof Error ? error.message : '';
      throw invalidRequest(refusals[refusal] ?? `The network refused: ${words} (${refusal})`);
    }
    if (connectionCodes.has(status)) throw deviceNotConnected(deviceId);
    throw error;
  }
};

/** Several questions to the network in one write, each answered by a stanza with its id. */
export interface Asking {
  readonly sock: Pick<WASocket, 'ws' | 'generateMessageTag'>;
  readonly line: Pick<Line, 'send'>;
  /** Called when the connection has ended. */
  readonly whenEnded: Set<(error: unknown) => void>;
}

/** As the engine waits. */
const usualTimeoutMs = 20_000;

/**
 * A question that has an `id` gets another in its place, any other one gets it as its last attribute. The answers, in the order of the questions; null for one that did not come in time, or at all. The engine's `query` makes two timers, six promises
 * and three stack traces for each.
 */
export const askTogether = (
  { sock, line, whenEnded }: Asking,
  questions: readonly BinaryNode[],
  timeoutMs = usualTimeoutMs,
): Promise<readonly (BinaryNode | null)[]> => {
  const { promise, resolve } = Promise.withResolvers<readonly (BinaryNode | null)[]>();
  const answers = questions.map((): BinaryNode | null => null);
  const heard = new Map<string, (answer: BinaryNode) => void>();
  const finish = (): void => {
    clearTimeout(timer);
    whenEnded.delete(finish);
    for (const [event, listener] of heard) sock.ws.off(event, listener);
    resolve(answers);
  };
  const named = questions.map((question, index) => {
    const id = sock.generateMessageTag();
    const event = `${DEF_TAG_PREFIX}${id}`;
    const listener = (answer: BinaryNode): void => {
      answers[index] = answer;
      sock.ws.off(event, listener);
      heard.delete(event);
      if (heard.size === 0) finish();
    };
    heard.set(event, listener);
    sock.ws.on(event, listener);
    return { ...question, attrs: { ...question.attrs, id } };
  });
  const timer = setTimeout(finish, timeoutMs).unref();
  whenEnded.add(finish);
  line.send(named);
  return promise;
};
