/** Errors in domain terms; only `http/wire/errors.ts` maps them to status codes and bodies. */

export type ErrorName =
  | 'InvalidJson'
  | 'InvalidRequest'
  | 'InvalidImage'
  | 'Unauthorized'
  | 'Forbidden'
  | 'DeviceLimitReached'
  | 'DeviceNotFound'
  | 'NotFound'
  | 'DeviceNotConnected'
  | 'DeviceNotAuthenticated'
  | 'RequestTimeout'
  | 'Conflict'
  | 'PayloadTooLarge'
  | 'RateLimited'
  | 'SendFailed'
  | 'SendMediaFailed'
  | 'RestartFailed'
  | 'DisconnectFailed'
  | 'PairingFailed'
  | 'Busy'
  | 'Unavailable'
  | 'NetworkUnreachable'
  | 'Internal';

/** Values of the `Handset-Reason` header. Programs compare them, so they are only ever added. */
export const reasons = {
  account_not_on_network: 'No account has this address',
  busy: 'Too many requests of the same user or device are running; try again in a few seconds',
  channel_not_writable: 'The account does not administer the channel, or the channel is suspended',
  conflict: 'The resource is in another state, or the name is taken',
  database_unavailable: 'The database does not answer',
  device_inactive: 'The subscription of the device is inactive',
  device_limit_reached: 'The subscription allows no more active devices',
  device_moving: 'The device is moving to another node',
  device_not_found: 'There is no such device, or it is not yours',
  disconnect_failed: 'The network did not log the device out',
  disk_full: 'The disk of the service is full',
  file_unknown: 'No uploaded file has this fileId, or it has expired',
  group_not_writable: 'The account is not in the group, only administrators write in it, or it is a community',
  idempotency_key_reused: 'The Idempotency-Key was used with another request',
  internal: 'Internal error. Search the service log for this request ID',
  invalid_json: 'The body is not JSON, or its content type is another',
  invalid_media: 'The file is not of an accepted type, is damaged or is too complex',
  invalid_request: 'A field, parameter or header breaks its rule; the message names it',
  key_not_permitted: 'The API key may not do this',
  lookup_limit_reached: 'Too many new numbers were looked up today',
  media_host_failed: 'The host of mediaUrl, or the media host of the network, answered with an error',
  method_not_allowed: 'The route has no such method',
  network_unreachable: 'The messaging network cannot be reached from the service',
  new_chat_limit_reached: 'The newChatsPerDay of the device is used up',
  node_lost: 'The node that worked on the request was lost',
  not_connected: 'The device has no open session',
  not_found: 'The resource does not exist',
  not_linked: 'The pairing of the device is not completed',
  number_not_on_network: 'No account has this number',
  opted_out: 'The number is on the suppression list',
  pairing_failed: 'The network did not offer or complete the pairing',
  payload_too_large: 'The body or the file is too large',
  range_not_satisfiable: 'The range starts beyond the end of the file',
  rate_limited: 'Too many requests in a minute',
  refused_by_network: 'The network refused the message: the account is restricted, or may start no more chats',
  request_running: 'A request with this Idempotency-Key is still running',
  request_timeout: 'The request, or the answer of the network, took too long',
  restart_failed: 'The session could not be restarted',
  route_not_found: 'There is no such route',
  schedule_full: 'Too many messages of the device, or too large files, are already scheduled',
  send_failed: 'The message was not accepted',
  send_unknown: 'Whether the message was accepted is unknown; repeat it with its Idempotency-Key',
  unauthorized: 'The API key is missing or invalid',
  unavailable: 'The service cannot serve the request now',
  upload_budget_exceeded: 'The user has uploaded too many files, or too large ones, within an hour',
  username_key_required: 'The person asks for the key of the username, or for another one',
  username_unknown: 'Nobody has this username',
} as const satisfies Readonly<Record<string, string>>;

export type Reason = keyof typeof reasons;

const defaultReasons: Readonly<Record<ErrorName, Reason>> = {
  InvalidJson: 'invalid_json',
  InvalidRequest: 'invalid_request',
  InvalidImage: 'invalid_media',
  Unauthorized: 'unauthorized',
  Forbidden: 'opted_out',
  DeviceLimitReached: 'device_limit_reached',
  DeviceNotFound: 'device_not_found',
  NotFound: 'not_found',
  DeviceNotConnected: 'not_connected',
  DeviceNotAuthenticated: 'not_linked',
  RequestTimeout: 'request_timeout',
  Conflict: 'conflict',
  PayloadTooLarge: 'payload_too_large',
  RateLimited: 'rate_limited',
  SendFailed: 'send_failed',
  SendMediaFailed: 'send_failed',
  RestartFailed: 'restart_failed',
  DisconnectFailed: 'disconnect_failed',
  PairingFailed: 'pairing_failed',
  Busy: 'busy',
  Unavailable: 'unavailable',
  NetworkUnreachable: 'network_unreachable',
  Internal: 'internal',
};

/** Cause of a failed send if it is unknown whether the network accepted the message. */
export class SendOutcomeUnknown extends Error {}

export interface HandsetErrorOptions {
  readonly cause?: unknown;
  readonly retryAfterSeconds?: number;
  readonly reason?: Reason;
}

/** `message` may be shown to callers, `cause` is for the log only. */
export class HandsetError extends Error {
  override readonly name: ErrorName;
  /** Retry-After in seconds, if known (RateLimited, Busy, Unavailable, NetworkUnreachable). */
  readonly retryAfterSeconds: number | undefined;
  readonly reason: Reason;

  constructor(name: ErrorName, message: string, { cause, retryAfterSeconds, reason }: HandsetErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = name;
    this.retryAfterSeconds = retryAfterSeconds;
    this.reason = reason ?? (cause instanceof SendOutcomeUnknown ? 'send_unknown' : defaultReasons[name]);
  }
}

/** A proxy did not connect. The message is for people and names neither address nor credentials. */
export class ProxyFailed extends Error {}

export const invalidRequest = (message: string, reason?: Reason): HandsetError =>
  new HandsetError('InvalidRequest', message, reason && { reason });

export const notPermitted = (what: string): HandsetError =>
  new HandsetError('Forbidden', `This key may not ${what}`, { reason: 'key_not_permitted' });

export const numberUnknown = (): HandsetError =>
  invalidRequest('toNumber is not on the network: no account has this number', 'number_not_on_network');

export const usernameUnknown = (): HandsetError => invalidRequest('nobody has this username', 'username_unknown');

export const usernameKeyRequired = (): HandsetError =>
  invalidRequest('this person asks for a key: usernameKey is missing, or another one', 'username_key_required');

export const requestTimeout = (cause?: unknown): HandsetError =>
  new HandsetError('RequestTimeout', 'Request timeout', { cause });

/** 404: unknown, or another user's. */
export const deviceNotFound = (): HandsetError => new HandsetError('DeviceNotFound', 'Device not found');

/** 404 for a resource of a device: a message, an event, a delivery, a QR. */
export const notFound = (what: string): HandsetError => new HandsetError('NotFound', `${what} not found`);

/** 404: no open session. `advice` is added for media. */
export const deviceNotConnected = (id: number, advice = ''): HandsetError =>
  new HandsetError('DeviceNotConnected', `Device ${id} is not connected${advice}`);

/** 422: pairing has started but is not complete. */
export const deviceNotAuthenticated = (): HandsetError =>
  new HandsetError(
    'DeviceNotAuthenticated',
    'Device is not fully authenticated; scan the QR code to complete the connection',
  );

export const deviceLimitReached = (active: number, allowed: number): HandsetError =>
  new HandsetError(
    'DeviceLimitReached',
    `Device limit reached; ${active} active ${active === 1 ? 'device' : 'devices'}, and your subscription allows ${allowed}`,
  );

const networkRetrySeconds = 10;

/** 503; `why` is a sentence without a full stop. */
export const networkUnreachable = (why: string): HandsetError =>
  new HandsetError('NetworkUnreachable', `${why}; "handset doctor" on the machine of the service looks for the cause`, {
    retryAfterSeconds: networkRetrySeconds,
  });

/** Usual time until a database is back. */
const storeRetrySeconds = 5;

export const storeAway = (cause: unknown): HandsetError =>
  new HandsetError(
    'Unavailable',
    'The database is not available; try again in a few seconds, a send with its Idempotency-Key',
    { cause, retryAfterSeconds: storeRetrySeconds, reason: 'database_unavailable' },
  );

/** True if only waiting helps. */
export const isUnavailable = (error: unknown): error is HandsetError =>
  error instanceof HandsetError && error.name === 'Unavailable';

const refusals: readonly ErrorName[] = ['InvalidRequest', 'Forbidden', 'RateLimited'];

/** True if a retry on another connection is pointless. */
export const isRefusal = (error: unknown): boolean =>
  isUnavailable(error) || (error instanceof HandsetError && refusals.includes(error.name));

export const messageOf = (error: unknown): string => {
  if (isUnavailable(error) && error.cause instanceof Error) return `${error.message} (${error.cause.message})`;
  return error instanceof Error ? error.message : String(error);
};

export const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** False if the message was certainly not sent, so that it may be sent under another id. */
export const mayHaveBeenSent = (error: unknown): boolean =>
  error instanceof HandsetError && error.cause instanceof SendOutcomeUnknown;

export const idempotencyKeyReused = (): HandsetError =>
  invalidRequest('Idempotency-Key was used before with another request', 'idempotency_key_reused');

export const requestRunning = (): HandsetError =>
  new HandsetError('Conflict', 'A request with this Idempotency-Key is still running', { reason: 'request_running' });
