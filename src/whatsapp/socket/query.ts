/** Queries to the network, and their answers by id. */
import { randomBytes } from 'node:crypto';
import { messageOf, deviceNotConnected, HandsetError, invalidRequest } from '../../errors.ts';
import { type BinaryNode, getBinaryNodeChild, S_WHATSAPP_NET } from '../library/nodes.ts';
import type { USyncQuery, USyncQueryResult } from '../library/protocol.ts';
import { ConnectionEnded } from './connection-ended.ts';

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

export const refusalOf = (error: unknown): number | null =>
  error instanceof Refused && !Number.isNaN(error.code) ? error.code : null;

/** Characters of a refusal that are passed on to callers. */
const maxRefusal = 500;

const refusalIn = (answer: BinaryNode): Refused | null => {
  const error = getBinaryNodeChild(answer, 'error');
  if (error === undefined) return null;
  return new Refused(Number(error.attrs['code']), error.attrs['text']?.slice(0, maxRefusal) || 'Unknown error');
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

/**
 * Ids of the GraphQL queries (`w:mex`). The network replaces them from time to time: `HANDSET_QUERY_IDS` names a file with newer ones, so that this
 * needs no release. Sources: zapo (2026-08-19) and whatsapp-rust (2026-08-21), which agree. Whether older ids
 * stay valid is unknown.
 */
export const bundledQueryIds = {
  channelList: '25399611239711790',
  channelRead: '27456920720571478',
  channelFollow: '24404358912487870',
  channelUnfollow: '9767147403369991',
  channelCreate: '25149874324715067',
  channelUpdate: '24250201037901610',
  channelDelete: '30062808666639665',
  channelMute: '31938993655691868',
  timeLock: '23983697327930364',
  textStatus: '9152604461510864',
  ownUsername: '25347099718279209',
  usernameCheck: '26122779627399568',
  usernameSet: '25757341163897635',
  usernameKeySet: '9749436995157074',
  newChatCap: '24503548349331633',
} as const satisfies Readonly<Record<string, string>>;

export type QueryIds = Readonly<Record<keyof typeof bundledQueryIds, string>>;

const maxCharacters = 65_536;
const number = /^\d{1,20}$/;

const isName = (name: string): name is keyof QueryIds => Object.hasOwn(bundledQueryIds, name);

/** The bundled ids, overridden by those in a JSON object. Throws if it is none. */
export const queryIdsWith = (text: string): QueryIds => {
  if (text.length > maxCharacters) throw new Error(`it has more than ${maxCharacters} characters`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new Error(`it is not JSON: ${messageOf(error)}`, { cause: error });
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new Error('it is no JSON object');
  const ids: Record<keyof QueryIds, string> = { ...bundledQueryIds };
  for (const [name, id] of Object.entries(parsed)) {
    if (!isName(name))
      throw new Error(`${name.slice(0, 40)} is no query; known: ${Object.keys(bundledQueryIds).join(', ')}`);
    if (typeof id !== 'string' || !number.test(id)) throw new Error(`${name} must be a string of 1 to 20 digits`);
    ids[name] = id;
  }
  return ids;
};

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
