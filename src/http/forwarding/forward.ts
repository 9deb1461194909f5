/** Forwards requests that need a device's session to the node that has it. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LeaseLost } from '../../domain/lease.ts';
import { pause } from '../../service/time/deadline.ts';
import { sayContinue } from '../body/body.ts';
import { inTime } from '../body/in-time.ts';
import { lacksLargeMember } from '../body/large-member.ts';
import type { Cluster } from './cluster.ts';
import { addressHeader, awayHeader, messageHeader, nodeHeader, onceHeader, originHeader } from '../wire/node-auth.ts';
import { nodeLost, unauthorized } from '../wire/errors.ts';
import type { Services } from '../wire/services.ts';
import { misdirected, passedOn, relay } from './relay.ts';

/** Smaller bodies are buffered, so that they can be sent again if the device has just moved; smaller answers, so that they are complete. */
const keptBytes = 65_536;
const noBody = Buffer.alloc(0);
/** A node that does not answer is dead; its devices move when its lease ends. */
const retryMs = 250;

export const verifySender = (cluster: Cluster, request: FastifyRequest): void => {
  const { raw, headers } = request;
  if (headers[nodeHeader] === undefined) return;
  const { method = '', url: path = '' } = raw;
  const verified = cluster.auth.verify({ node: cluster.url(), method, path, headers });
  if (verified === 'refused') throw unauthorized();
  if (typeof verified === 'object') request.passedOn = verified;
};

export const originOf = (request: FastifyRequest): string => {
  const told = request.headers[originHeader];
  return typeof told === 'string' && request.passedOn ? told : `${request.protocol}://${request.host}`;
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

/** Resolves when all of it is sent. */
const send = async (reply: FastifyReply, { head, body }: Answer): Promise<void> => {
  for (const [name, value] of Object.entries(passedOn(head.headers))) {
    if (value !== undefined) reply.header(name, value);
  }
  const length = head.headers['content-length'];
  if (length !== undefined) reply.header('content-length', length);
  await reply.code(head.statusCode ?? 502).send(body);
};

interface Journey {
  readonly services: Pick<Services, 'clock'>;
  readonly cluster: Cluster;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly deviceId: number;
}

/** True if another node has answered; false if the device is here. Not the reply: an async function waits for it, and resolves with nothing. */
const travel = async (journey: Journey, body: Buffer | Readable | null): Promise<boolean> => {
  const { services, cluster, request, reply, deviceId } = journey;
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
  // If a request breaks off, its outcome is unknown. Messages are sent once by their id, and other methods are idempotent.
  const repeatable = !isStream && (method !== 'POST' || attempt !== null);
  for (let fresh = false; ; fresh = true) {
    signal.throwIfAborted();
    const owner = await cluster.locate(deviceId, fresh);
    if (owner.here) return false;
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
    // That node waits for its lease to end; without the database it cannot locate the device again.
    const isAway = answer !== null && answer.head.headers[awayHeader] !== undefined;
    if (answer !== null && !(isAway && repeatable)) {
      await send(reply, answer);
      return true;
    }
    await pause(services.clock, retryMs);
  }
};

const again = (request: FastifyRequest, bytes: Buffer): Readable =>
  Object.assign(Readable.from(bytes.length === 0 ? [] : [bytes]), { headers: request.headers });

/** Runs before the body is read. Returns the payload; null if answered. A forwarded request is refused if the device is not here: no loops. */
export const routeToOwner = async (
  services: Services,
  cluster: Cluster,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: Readable,
): Promise<Readable | null> => {
  const deviceId = request.scope!.id;
  const forwarded = request.passedOn !== null;
  const owner = await cluster.locate(deviceId).catch((error: unknown) => {
    // The first node continues the search: it knows the time left.
    if (forwarded && error instanceof LeaseLost) return { here: false } as const;
    throw error;
  });
  if (request.operation?.sends === true) {
    const given = forwarded ? request.headers[messageHeader] : undefined;
    const messageId = typeof given === 'string' ? given : services.sending.newMessageId();
    request.attempt = { messageId, isRepeat: forwarded };
  }
  if (owner.here) return payload;
  if (forwarded) {
    void reply.code(misdirected).send('');
    return null;
  }
  const journey = { services, cluster, request, reply, deviceId };
  const length = Number(request.headers['content-length'] ?? Infinity);
  const deadline = request.deadline!;
  if (!hasBody(request)) return (await deadline.race(travel(journey, null))) ? null : payload;
  sayContinue(request.raw);
  if (length > keptBytes) {
    // Read only when the other node asks for it; until then it can be read here.
    const body = Readable.from(inTime(payload, deadline, services.clock), { objectMode: false });
    return (await deadline.race(travel(journey, body))) ? null : payload;
  }
  const bytes = await deadline.race(readAll(payload));
  return (await deadline.race(travel(journey, bytes))) ? null : again(request, bytes);
};

/**
 * The device was lost after the body was read: repeats the request from the parsed body. True if it was answered; false if the device is here again. Throws the
 * error if a file of the body was taken out.
 */
export const routeAgain = async (
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  error: LeaseLost,
): Promise<boolean> => {
  const { cluster } = services;
  if (cluster === undefined) throw error;
  const goesBack = request.passedOn && request.headers[onceHeader] === undefined;
  if (goesBack) {
    await reply.code(misdirected).send('');
    return true;
  }
  const { body: parsed } = request;
  if (typeof parsed === 'object' && parsed !== null && lacksLargeMember(parsed)) throw error;
  const body = parsed === undefined ? null : Buffer.from(JSON.stringify(parsed));
  return travel({ services, cluster, request, reply, deviceId: error.deviceId }, body);
};
