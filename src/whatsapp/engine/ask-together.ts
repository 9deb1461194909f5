/** Several questions to the network in one write, each answered by a stanza with its id. */
import { type BinaryNode, DEF_TAG_PREFIX } from './nodes.ts';
import type { WASocket } from './types.ts';
import type { Line } from './line/line.ts';

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
