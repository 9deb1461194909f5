/** Requests about a device's session go to the node that has it, from whichever node they came to. */
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

/** Bodies up to this are read first, so that they can be sent again when the device has just moved; answers, so that they are whole. */
const keptBytes = 65_536;
const noBody = Buffer.alloc(0);
/** A node that does not answer is dead: its devices are elsewhere as soon as its lease has ended. */
const retryMs = 250;

/** Verifies the signature of a request from another node. Throws Unauthorized for one that is used, or was made for another request. */
export const verifySender = (cluster: Cluster, request: FastifyRequest): void => {
  const { raw, headers } = request;
  if (headers[nodeHeader] === undefined) return;
  const { method = '', url: path = '' } = raw;
  const verified = cluster.auth.verify({ node: cluster.url(), method, path, headers });
  if (verified === 'refused') throw unauthorized();
  if (typeof verified === 'object') request.passedOn = verified;
};

/** Whom the audit log names: the address that called the first node. */
export const addressOf = (request: FastifyRequest): string => {
  const told = request.headers[addressHeader];
  return typeof told === 'string' && isFromNode(request) ? told : request.ip;
};

/** The address by which the caller came to the node that was asked. */
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

/** Sends it to the owner, and once more when that has changed; null: the device is here by now. */
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
  // Of what breaks off on the way nobody knows whether it was done: a message stays one by its id, and other things are as they are asked to be.
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
    // That node waits for its lease to end; if this one could not reach the database either, it would not have been located again.
    const isAway = answer !== null && answer.head.headers[awayHeader] !== undefined;
    if (answer !== null && !(isAway && repeatable)) return send(reply, answer);
    await pause(parts.clock, retryMs);
  }
};

/** A payload for the parser of this node, when its bytes have been read already. */
const again = (request: FastifyRequest, bytes: Buffer): Readable =>
  Object.assign(Readable.from(bytes.length === 0 ? [] : [bytes]), { headers: request.headers });

/**
 * Runs before a body is read: gives the payload to go on with here; null when it is answered. What another node has passed on is refused
 * when the device is not here, so that a request never goes in a circle.
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
    // The node that passed it on goes on looking: it knows how much time is left.
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
    // Not read before the other node asks for it: until then it can be read here.
    const body = Readable.from(inTime(payload, deadline, parts.clock), { objectMode: false });
    return (await deadline.race(travel(journey, body))) === null ? payload : null;
  }
  const bytes = await deadline.race(readAll(payload));
  return (await deadline.race(travel(journey, bytes))) === null ? again(request, bytes) : null;
};

/** The device was lost after the body was read: the same request, made anew from what was read. */
export const routeAgain = async (
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  error: LeaseLost,
): Promise<FastifyReply | null> => {
  const { cluster } = parts;
  if (cluster === undefined) throw error;
  // One that the first node could only send once goes on from here, where its body is known by now.
  const goesBack = isFromNode(request) && request.headers[onceHeader] === undefined;
  if (goesBack) return reply.code(misdirected).send('');
  const body = request.body === undefined ? null : Buffer.from(JSON.stringify(request.body));
  return travel({ parts, cluster, request, reply, deviceId: error.deviceId }, body);
};
