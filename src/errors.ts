/** Errors of the product, in domain terms; only `http/errors` maps them to status codes and bodies. */

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

/** Values of the header `Handset-Reason` with their meaning. Programs compare them, so they are only ever added. */
export const reasons = {
  account_not_on_network: 'No account has this address',
  busy: 'Too much of the same user or device is under way; try again in a few seconds',
  conflict: 'The thing is in another state, or the name is taken',
  database_unavailable: 'The database does not answer',
  device_inactive: 'The subscription of the device is inactive',
  device_limit_reached: 'The subscription allows no more active devices',
  device_moving: 'The device is on its way to another node',
  device_not_found: 'There is no such device, or it is not yours',
  disconnect_failed: 'The network did not log the device out',
  disk_full: 'The disk of the service is full',
  file_unknown: 'There is no uploaded file with this fileId, or not any more',
  group_not_writable: 'The account is not in the group, or only administrators write in it',
  idempotency_key_reused: 'The Idempotency-Key was used with another request',
  internal: 'The service failed; its log has the cause under the request id',
  invalid_json: 'The body is not JSON, or its content type is another',
  invalid_media: 'The file is not of an accepted type, is damaged or is too complex',
  invalid_request: 'A field, parameter or header breaks its rule; the message names it',
  lookup_limit_reached: 'Too many new numbers were looked up today',
  media_host_failed: 'The host of mediaUrl, or the media host of the network, answered with an error',
  method_not_allowed: 'The route has no such method',
  network_unreachable: 'The messaging network cannot be reached from the service',
  new_chat_limit_reached: 'The newChatsPerDay of the device is used up',
  node_lost: 'The node that worked on the request was lost',
  not_connected: 'The device has no open session',
  not_found: 'There is no such thing',
  not_linked: 'The pairing of the device is not completed',
  number_not_on_network: 'No account has this number',
  opted_out: 'The number is on the suppression list',
  pairing_failed: 'The network did not offer or complete the pairing',
  payload_too_large: 'The body or the file is too large',
  range_not_satisfiable: 'The range begins behind the end of the file',
  rate_limited: 'Too many requests in a minute',
  refused_by_network: 'The network refused the message: the account is restricted, or may begin no more chats',
  request_running: 'A request with this Idempotency-Key is still running',
  request_timeout: 'The request, or the answer of the network, took too long',
  restart_failed: 'The session could not be started again',
  route_not_found: 'There is no such route',
  send_failed: 'The message was not accepted',
  send_unknown: 'Whether the message was accepted is unknown; repeat it with its Idempotency-Key',
  unauthorized: 'The API key is missing or invalid',
  unavailable: 'The service cannot do it now',
  upload_budget_exceeded: 'The files that the user has uploaded within an hour are too many or too large together',
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

/** Cause of a failed send if it is unknown whether the network has accepted the message. */
export class SendOutcomeUnknown extends Error {}

export interface HandsetErrorOptions {
  readonly cause?: unknown;
  readonly retryAfterSeconds?: number;
  /** More specific than the name. */
  readonly reason?: Reason;
}

/** An error for the caller: `message` may be shown to them, `cause` is for the log only. */
export class HandsetError extends Error {
  override readonly name: ErrorName;
  /** Seconds to wait before a retry, if known (RateLimited, Busy, Unavailable, NetworkUnreachable). */
  readonly retryAfterSeconds: number | undefined;
  readonly reason: Reason;

  constructor(name: ErrorName, message: string, { cause, retryAfterSeconds, reason }: HandsetErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = name;
    this.retryAfterSeconds = retryAfterSeconds;
    this.reason = reason ?? (cause instanceof SendOutcomeUnknown ? 'send_unknown' : defaultReasons[name]);
  }
}

/** A proxy did not connect to the network. The message is for people and names neither the address nor the credentials. */
export class ProxyFailed extends Error {}

/** 400: names the field and the rule (docs/spec/http-interface.md, Errors). */
export const invalidRequest = (message: string, reason?: Reason): HandsetError =>
  new HandsetError('InvalidRequest', message, reason && { reason });

/** 400: the number has no account. */
export const numberUnknown = (): HandsetError =>
  invalidRequest('toNumber is not on the network: no account has this number', 'number_not_on_network');

/** 404: the device does not exist or belongs to another user (docs/spec/http-interface.md, Errors). */
export const deviceNotFound = (): HandsetError => new HandsetError('DeviceNotFound', 'Device not found');

/** 404 for a resource of a device: a message, an event, a delivery, a QR. */
export const notFound = (what: string): HandsetError => new HandsetError('NotFound', `${what} not found`);

/** 404: no open session (docs/spec/http-interface.md, Errors). `advice` is added for media. */
export const deviceNotConnected = (id: number, advice = ''): HandsetError =>
  new HandsetError('DeviceNotConnected', `Device ${id} is not connected${advice}`);

/** 422: pairing has started but is not complete (docs/spec/http-interface.md, Errors). */
export const deviceNotAuthenticated = (): HandsetError =>
  new HandsetError(
    'DeviceNotAuthenticated',
    'Device is not fully authenticated; scan the QR code to complete the connection',
  );

/** 403: names the number of active devices and the limit of the subscription (docs/spec/http-interface.md, Errors). */
export const deviceLimitReached = (active: number, allowed: number): HandsetError =>
  new HandsetError(
    'DeviceLimitReached',
    `Device limit reached; ${active} active ${active === 1 ? 'device' : 'devices'}, and your subscription allows ${allowed}`,
  );

const networkRetrySeconds = 10;

/** 503: the network cannot be reached from this machine; `why` is a sentence without a full stop. */
export const networkUnreachable = (why: string): HandsetError =>
  new HandsetError('NetworkUnreachable', `${why}; "handset doctor" on the machine of the service looks for the cause`, {
    retryAfterSeconds: networkRetrySeconds,
  });

/** Usual time until a database is back. */
const storeRetrySeconds = 5;

/** 503: the database is unavailable. */
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

/** True if a retry on another connection is pointless: the request is refused, or the database is unavailable. */
export const isRefusal = (error: unknown): boolean =>
  isUnavailable(error) || (error instanceof HandsetError && refusals.includes(error.name));

/** Message of anything thrown. */
export const messageOf = (error: unknown): string => {
  if (isUnavailable(error) && error.cause instanceof Error) return `${error.message} (${error.cause.message})`;
  return error instanceof Error ? error.message : String(error);
};

export const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** False if the message was certainly not sent, so that it may be sent again under another id. */
export const mayHaveBeenSent = (error: unknown): boolean =>
  error instanceof HandsetError && error.cause instanceof SendOutcomeUnknown;
