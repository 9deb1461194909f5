/** Requests that need a device's session are forwarded to the node that has it. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LeaseLost } from '../../domain/lease.ts';
import { pause } from '../../service/time/deadline.ts';
import { sayContinue } from '../body/body.ts';
import { inTime } from '../body/in-time.ts';
import type { Cluster } from './cluster.ts';
import {
  addressHeader,
  awayHeader,
  isFromNode,
  messageHeader,
  nodeHeader,
  onceHeader,
  originHeader,
} from '../wire/node-auth.ts';
import { nodeLost, unauthorized } from '../wire/errors.ts';
import type { Parts } from '../wire/parts.ts';
import { misdirected, passedOn, relay } from './relay.ts';

/** Smaller bodies are read first, so that they can be sent again if the device has just moved; smaller answers, so that they are complete. */
const keptBytes = 65_536;
const noBody = Buffer.alloc(0);
/** A node that does not answer is dead: its devices move as soon as its lease ends. */
const retryMs = 250;

/** Throws Unauthorized for a signature that was used, or made for another request. */
export const verifySender = (cluster: Cluster, request: FastifyRequest): void => {
  const { raw, headers } = request;
  if (headers[nodeHeader] === undefined) return;
  const { method = '', url: path = '' } = raw;
  const verified = cluster.auth.verify({ node: cluster.url(), method, path, headers });
  if (verified === 'refused') throw unauthorized();
  if (typeof verified === 'object') request.passedOn = verified;
};

/** For the audit log: the address that called the first node. */
export const addressOf = (request: FastifyRequest): string => {
  const told = request.headers[addressHeader];
  return typeof told === 'string' && isFromNode(request) ? told : request.ip;
};

/** The origin by which the caller reached the first node. */
export const originOf = (request: FastifyRequest): string => {
  const told = request.headers[originHeader];
  return typeof told === 'string' && isFromNode(request) ? told : `${request.protocol}://${request.host}`;
};

const readAll = async (stream: Readable): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
};

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

interface Answer {
  readonly head: IncomingMessage;
  readonly body: Buffer | IncomingMessage;
}

const takeIn = async (answer: IncomingMessage): Promise<Answer> => {
  const length = Number(answer.headers['content-length'] ?? Infinity);
  return { head: answer, body: length <= keptBytes ? await readAll(answer) : answer };
};

const send = async (reply: FastifyReply, { head, body }: Answer): Promise<FastifyReply> => {
  for (const [name, value] of Object.entries(passedOn(head.headers))) {
    if (value !== undefined) reply.header(name, value);
  }
  const length = head.headers['content-length'];
  if (length !== undefined) reply.header('content-length', length);
  return reply.code(head.statusCode ?? 502).send(body);
};

interface Journey {
  readonly parts: Pick<Parts, 'clock'>;
  readonly cluster: Cluster;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly deviceId: number;
}

/** Sends the request to the owner, and again if that has changed; null: the device is here now. */
const travel = async (journey: Journey, body: Buffer | Readable | null): Promise<FastifyReply | null> => {
  const { parts, cluster, request, reply, deviceId } = journey;
  const { method = '', url: path = '' } = request.raw;
  const { signal } = request.deadline!;
  const { attempt } = request;
  // If it comes back to this node, the other one may have tried.
  if (attempt !== null) request.attempt = { ...attempt, isRepeat: true };
  const isStream = body !== null && !Buffer.isBuffer(body);
  const headers = {
    ...passedOn(request.headers),
    'x-request-id': request.id,
    [addressHeader]: request.ip,
    [originHeader]: `${request.protocol}://${request.host}`,
    ...(attempt === null ? {} : { [messageHeader]: attempt.messageId }),
    ...(isStream ? { [onceHeader]: '1' } : {}),
  };
  // If a request breaks off, nobody knows whether it was done: a message is sent once by its id, other methods are idempotent.
  const repeatable = !isStream && (method !== 'POST' || attempt !== null);
  for (let fresh = false; ; fresh = true) {
    signal.throwIfAborted();
    const owner = await cluster.locate(deviceId, fresh);
    if (owner.here) return null;
    const { url: node } = owner;
    const signed = cluster.auth.sign({ node, method, path, headers }, isStream ? null : (body ?? noBody));
    const own = { [nodeHeader]: signed.header };
    const answer = await relay({
      node,
      method,
      path,
      headers: { ...headers, ...own },
      body,
      trailer: signed.trailer,
      signal,
    })
      .then((relayed) => (relayed.kind === 'answer' ? takeIn(relayed.answer) : null))
      .catch((cause: unknown) => {
        signal.throwIfAborted();
        if (!repeatable) throw nodeLost(cause);
        return null;
      });
    // That node waits for its lease to end. A node without the database would not have located it again.
    const isAway = answer !== null && answer.head.headers[awayHeader] !== undefined;
    if (answer !== null && !(isAway && repeatable)) return send(reply, answer);
    await pause(parts.clock, retryMs);
  }
};

/** The body for this node's parser, from bytes already read. */
const again = (request: FastifyRequest, bytes: Buffer): Readable =>
  Object.assign(Readable.from(bytes.length === 0 ? [] : [bytes]), { headers: request.headers });

/**
 * Runs before a body is read. Gives the payload to continue with here; null if it was answered. A forwarded request is refused if the
 * device is not here, so that none goes in a circle.
 */
export const routeToOwner = async (
  parts: Parts,
  cluster: Cluster,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: Readable,
): Promise<Readable | null> => {
  const deviceId = request.scope!.id;
  const forwarded = isFromNode(request);
  const owner = await cluster.locate(deviceId).catch((error: unknown) => {
    // The first node continues the search: it knows how much time is left.
    if (forwarded && error instanceof LeaseLost) return { here: false } as const;
    throw error;
  });
  if (request.operation?.sends === true) {
    const given = forwarded ? request.headers[messageHeader] : undefined;
    const messageId = typeof given === 'string' ? given : parts.sending.newMessageId();
    request.attempt = { messageId, isRepeat: forwarded };
  }
  if (owner.here) return payload;
  if (forwarded) {
    void reply.code(misdirected).send('');
    return null;
  }
  const journey = { parts, cluster, request, reply, deviceId };
  const length = Number(request.headers['content-length'] ?? Infinity);
  const deadline = request.deadline!;
  if (!hasBody(request)) return (await deadline.race(travel(journey, null))) === null ? payload : null;
  sayContinue(request.raw);
  if (length > keptBytes) {
    // Read only when the other node asks for it: until then it can be read here.
    const body = Readable.from(inTime(payload, deadline, parts.clock), { objectMode: false });
    return (await deadline.race(travel(journey, body))) === null ? payload : null;
  }
  const bytes = await deadline.race(readAll(payload));
  return (await deadline.race(travel(journey, bytes))) === null ? again(request, bytes) : null;
};

/** The device was lost after the body was read: repeats the request from the parsed body. */
export const routeAgain = async (
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  error: LeaseLost,
): Promise<FastifyReply | null> => {
  const { cluster } = parts;
  if (cluster === undefined) throw error;
  // A request that the first node could send only once continues here, as its body is known.
  const goesBack = isFromNode(request) && request.headers[onceHeader] === undefined;
  if (goesBack) return reply.code(misdirected).send('');
  const body = request.body === undefined ? null : Buffer.from(JSON.stringify(request.body));
  return travel({ parts, cluster, request, reply, deviceId: error.deviceId }, body);
};
