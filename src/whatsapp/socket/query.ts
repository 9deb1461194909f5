/** Queries to the network, and their answers by id. */
import { randomBytes } from 'node:crypto';
import { type BinaryNode, getBinaryNodeChild, S_WHATSAPP_NET } from '../library/nodes.ts';
import type { USyncQuery, USyncQueryResult } from '../library/protocol.ts';

/** The network refused a query. `code` is NaN if it gave none. */
export class Refused extends Error {
  readonly code: number;

  constructor(code: number, text: string) {
    super(text);
    this.code = code;
  }
}

export class NoAnswer extends Error {
  constructor(message = 'the network did not answer') {
    super(message);
  }
}

/** The code of a refusal; null for any other error. */
export const refusalOf = (error: unknown): number | null =>
  error instanceof Refused && !Number.isNaN(error.code) ? error.code : null;

const refusalIn = (answer: BinaryNode): Refused | null => {
  const error = getBinaryNodeChild(answer, 'error');
  return error === undefined ? null : new Refused(Number(error.attrs['code']), error.attrs['text'] || 'Unknown error');
};

const usualTimeoutMs = 20_000;

interface Waiting {
  readonly answer: (node: BinaryNode) => void;
  readonly end: (error: unknown) => void;
}

export class Queries {
  readonly #send: (nodes: readonly BinaryNode[]) => void;
  readonly #waiting = new Map<string, Waiting>();
  readonly #prefix: string;
  #serial = 0;
  #end: { readonly error: unknown } | null = null;

  constructor(send: (nodes: readonly BinaryNode[]) => void) {
    this.#send = send;
    const bytes = randomBytes(4);
    this.#prefix = `${bytes.readUInt16BE(0)}.${bytes.readUInt16BE(2)}-`;
  }

  get open(): number {
    return this.#waiting.size;
  }

  /** Unique on this connection. */
  nextId(): string {
    return `${this.#prefix}${(this.#serial += 1)}`;
  }

  /** A query without an id gets one as its last attribute. Rejects with Refused, NoAnswer, or the error that ended the connection. */
  query(node: BinaryNode, timeoutMs = usualTimeoutMs): Promise<BinaryNode> {
    const { promise, resolve, reject } = Promise.withResolvers<BinaryNode>();
    const id = node.attrs['id'] || this.nextId();
    const settled = (): void => {
      clearTimeout(timer);
      this.#waiting.delete(id);
    };
    const end = (error: unknown): void => {
      settled();
      reject(error);
    };
    const timer = setTimeout(() => end(new NoAnswer()), timeoutMs).unref();
    const answer = (result: BinaryNode): void => {
      const refusal = refusalIn(result);
      if (refusal !== null) return end(refusal);
      settled();
      resolve(result);
    };
    this.#ask([{ ...node, attrs: { ...node.attrs, id } }], [{ answer, end }], end);
    return promise;
  }

  /** One write for several queries, each with a new id. Answers in order, refusals included; null for a missing one. */
  askTogether(nodes: readonly BinaryNode[], timeoutMs = usualTimeoutMs): Promise<readonly (BinaryNode | null)[]> {
    const { promise, resolve } = Promise.withResolvers<readonly (BinaryNode | null)[]>();
    const found = nodes.map((): BinaryNode | null => null);
    const named = nodes.map((node) => ({ ...node, attrs: { ...node.attrs, id: this.nextId() } }));
    const left = new Set(named.map(({ attrs }) => attrs.id));
    const finish = (): void => {
      clearTimeout(timer);
      for (const id of left) this.#waiting.delete(id);
      resolve(found);
    };
    const timer = setTimeout(finish, timeoutMs).unref();
    const waiting = named.map(({ attrs: { id } }, index) => ({
      answer: (node: BinaryNode): void => {
        found[index] = node;
        this.#waiting.delete(id);
        left.delete(id);
        if (left.size === 0) finish();
      },
      end: finish,
    }));
    this.#ask(named, waiting, finish);
    return promise;
  }

  take(node: BinaryNode): void {
    this.#waiting.get(node.attrs['id'] ?? '')?.answer(node);
  }

  /** Fails open and later queries with this error. */
  end(error: unknown): void {
    this.#end = { error };
    for (const waiting of this.#waiting.values()) waiting.end(error);
  }

  #ask(named: readonly BinaryNode[], waiting: readonly Waiting[], fail: (error: unknown) => void): void {
    if (this.#end !== null) return fail(this.#end.error);
    for (const [index, { attrs }] of named.entries()) this.#waiting.set(attrs['id'] ?? '', waiting[index]!);
    try {
      this.#send(named);
    } catch (error) {
      fail(error);
    }
  }
}

export type UsyncQuery = USyncQuery;
export type UsyncAnswer = USyncQueryResult;

/** Queries about accounts. */
const iqOf = ({ users, protocols, context, mode }: UsyncQuery, sid: string): BinaryNode => {
  const list = users.map((user) => ({
    tag: 'user',
    attrs: user.phone || user.id === undefined ? {} : { jid: user.id },
    content: protocols.flatMap((protocol) => protocol.getUserElement(user) ?? []),
  }));
  return {
    tag: 'iq',
    attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'usync' },
    content: [
      {
        tag: 'usync',
        attrs: { context, mode, sid, last: 'true', index: '0' },
        content: [
          { tag: 'query', attrs: {}, content: protocols.map((protocol) => protocol.getQueryElement()) },
          { tag: 'list', attrs: {}, content: list },
        ],
      },
    ],
  };
};

export const runUsync = async (
  queries: Pick<Queries, 'query' | 'nextId'>,
  query: UsyncQuery,
): Promise<UsyncAnswer | null> =>
  query.parseUSyncQueryResult(await queries.query(iqOf(query, queries.nextId()))) ?? null;
