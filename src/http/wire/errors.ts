/** The only mapping from errors to status codes and bodies (docs/spec/http-interface.md, Errors). */
import { LeaseLost } from '../../domain/lease.ts';
import { type ErrorName, HandsetError, invalidRequest, type Reason } from '../../errors.ts';
import type { FastifyRequest } from 'fastify';

const codes: Readonly<Record<ErrorName, number>> = {
  InvalidJson: 400,
  InvalidRequest: 400,
  InvalidImage: 400,
  Unauthorized: 401,
  Forbidden: 403,
  DeviceLimitReached: 403,
  DeviceNotFound: 404,
  NotFound: 404,
  DeviceNotConnected: 404,
  RequestTimeout: 408,
  Conflict: 409,
  PayloadTooLarge: 413,
  DeviceNotAuthenticated: 422,
  RateLimited: 429,
  SendFailed: 500,
  SendMediaFailed: 500,
  RestartFailed: 500,
  DisconnectFailed: 500,
  PairingFailed: 500,
  Internal: 500,
  Busy: 503,
  Unavailable: 503,
  NetworkUnreachable: 503,
};

export type ErrorBody =
  | { readonly status: { readonly code: number; readonly message: string } }
  | { readonly status: 'error'; readonly error: { readonly code: 401; readonly message: string } };

export interface ErrorAnswer {
  readonly code: number;
  readonly body: ErrorBody;
  readonly retryAfterSeconds: number | undefined;
  readonly reason: Reason;
}

/** For programs; set on every error. */
export const reasonHeader = 'handset-reason';

export const routeNotFound = (): HandsetError =>
  new HandsetError('NotFound', 'Route not found', { reason: 'route_not_found' });

export const errorBody = (code: number, message: string): ErrorBody =>
  code === 401 ? { status: 'error', error: { code, message } } : { status: { code, message } };

export const unauthorized = (): HandsetError =>
  new HandsetError('Unauthorized', 'Missing or invalid authorization header; a Bearer token is required');

/** `why`: the problem, if the text does not say it. */
export const invalidJson = (cause?: unknown, why = ''): HandsetError =>
  new HandsetError('InvalidJson', `Invalid JSON format${why}`, { cause });

const maxShownHeader = 100;

/** For clients that forget the header. */
export const wrongContentType = (type: string): HandsetError =>
  invalidJson(undefined, `: Content-Type is "${type.slice(0, maxShownHeader)}"; it must be application/json`);

export const wrongContentEncoding = (encoding: string): HandsetError =>
  invalidRequest(`Content-Encoding "${encoding.slice(0, maxShownHeader)}" is not taken; send the body uncompressed`);

export const payloadTooLarge = (): HandsetError => new HandsetError('PayloadTooLarge', 'Request payload too large');

/** After a lease and its takeover. */
const retryAfterSeconds = 5;

const deviceOnTheMove = (cause: unknown): HandsetError =>
  new HandsetError('Unavailable', 'The device is moving to another node; try again in a few seconds', {
    cause,
    retryAfterSeconds,
    reason: 'device_moving',
  });

/** 503: a send without an acknowledgement may have been made. */
export const serviceStopping = (): HandsetError =>
  new HandsetError(
    'Unavailable',
    'The service is stopping and could not finish this request; try again in a few seconds, a send with its Idempotency-Key',
    { retryAfterSeconds },
  );

/** 503: the node working on a request that cannot be repeated has gone. */
export const nodeLost = (cause: unknown): HandsetError =>
  new HandsetError(
    'Unavailable',
    'The node that has the device was lost during the request; try again in a few seconds, a send with its Idempotency-Key',
    { cause, retryAfterSeconds, reason: 'node_lost' },
  );

/** Framework errors carry a status; their text is about the framework. */
const frameworkCode = (error: unknown): number | null => {
  if (!(error instanceof Error) || !('code' in error) || !String(error.code).startsWith('FST_ERR_')) return null;
  const status = 'statusCode' in error ? Number(error.statusCode) : 500;
  return status >= 400 && status < 500 ? status : null;
};

const known = (error: unknown): HandsetError => {
  if (error instanceof HandsetError) return error;
  if (error instanceof LeaseLost) return deviceOnTheMove(error);
  const code = frameworkCode(error);
  if (code === 415) return invalidJson(error);
  if (code === 413) return payloadTooLarge();
  if (code !== null) return new HandsetError('InvalidRequest', 'Malformed request', { cause: error });
  return new HandsetError('Internal', 'Internal server error', { cause: error });
};

/** Reveals nothing about other errors than HandsetError. */
export const answerTo = (thrown: unknown): ErrorAnswer => {
  const error = known(thrown);
  const code = codes[error.name];
  const body = errorBody(code, error.message);
  return { code, body, retryAfterSeconds: error.retryAfterSeconds, reason: error.reason };
};

/** Longer runs may be phone numbers. */
const withoutNumbers = (text: string): string => text.replace(/\d{7,}/g, '…');

const loggable = (error: unknown, depth = 0): unknown => {
  if (!(error instanceof Error)) return { message: withoutNumbers(String(error)) };
  return {
    type: error.name,
    message: withoutNumbers(error.message),
    stack: withoutNumbers(error.stack ?? ''),
    ...(error.cause === undefined || depth > 3 ? {} : { cause: loggable(error.cause, depth + 1) }),
  };
};

export const logFailure = (request: FastifyRequest, error: unknown): void => {
  const expected = error instanceof HandsetError && error.cause === undefined;
  const line = { requestId: request.id, route: request.route, error: loggable(error) };
  request.log[expected ? 'warn' : 'error'](line, 'request failed');
};
