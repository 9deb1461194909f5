/** The errors of the product, named in domain terms; `http/errors` alone turns them into status codes and bodies. */

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
  | 'Unavailable'
  | 'NetworkUnreachable'
  | 'Internal';

/** An error that a caller may see. `message` is fit to be shown to them; `cause` is for the log only. */
export class HandsetError extends Error {
  override readonly name: ErrorName;
  /** Seconds to wait before trying again, where that is known (RateLimited, Unavailable, NetworkUnreachable). */
  readonly retryAfterSeconds: number | undefined;

  constructor(name: ErrorName, message: string, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = name;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** A proxy did not connect to the network. Its text is in words for a person, and names neither the address nor its credentials. */
export class ProxyFailed extends Error {}

/** 400: names the member and the rule (docs/spec/http-interface.md, Errors). */
export const invalidRequest = (message: string): HandsetError => new HandsetError('InvalidRequest', message);

/** 404 for a device that does not exist or belongs to somebody else (docs/spec/http-interface.md, Errors). */
export const deviceNotFound = (): HandsetError => new HandsetError('DeviceNotFound', 'Device not found');

/** 404 for a thing of a device: a message, an event, a delivery, a QR. */
export const notFound = (what: string): HandsetError => new HandsetError('NotFound', `${what} not found`);

/** 404: no live session (docs/spec/http-interface.md, Errors); `advice` is the media variant's addition. */
export const deviceNotConnected = (id: number, advice = ''): HandsetError =>
  new HandsetError('DeviceNotConnected', `Device ${id} is not connected${advice}`);

/** 422: the pairing is under way but not completed (docs/spec/http-interface.md, Errors). */
export const deviceNotAuthenticated = (): HandsetError =>
  new HandsetError(
    'DeviceNotAuthenticated',
    'Device is not fully authenticated; scan the QR code to complete the connection',
  );

/** 403: names the active device count and the count that the subscription allows (docs/spec/http-interface.md, Errors). */
export const deviceLimitReached = (active: number, allowed: number): HandsetError =>
  new HandsetError(
    'DeviceLimitReached',
    `Device limit reached; ${active} active ${active === 1 ? 'device' : 'devices'}, and your subscription allows ${allowed}`,
  );

const networkRetrySeconds = 10;

/** 503: the messaging network cannot be reached from this machine; `why` is a sentence without a full stop. */
export const networkUnreachable = (why: string): HandsetError =>
  new HandsetError('NetworkUnreachable', `${why}; "handset doctor" on the machine of the service looks for the cause`, {
    retryAfterSeconds: networkRetrySeconds,
  });

/** A database that is away is mostly back in about this time. */
const storeRetrySeconds = 5;

/** 503: nothing can be read or stored at the moment. */
export const storeAway = (cause: unknown): HandsetError =>
  new HandsetError(
    'Unavailable',
    'The database is not available; try again in a few seconds, a send with its Idempotency-Key',
    { cause, retryAfterSeconds: storeRetrySeconds },
  );

/** True for what nobody can do anything about but wait. */
export const isUnavailable = (error: unknown): error is HandsetError =>
  error instanceof HandsetError && error.name === 'Unavailable';

const refusals: readonly ErrorName[] = ['InvalidRequest', 'Forbidden', 'RateLimited'];

/** The request is wrong or not allowed, or the database is away: nothing is gained by another try on another connection. */
export const isRefusal = (error: unknown): boolean =>
  isUnavailable(error) || (error instanceof HandsetError && refusals.includes(error.name));

/** The message of anything thrown, for logs. */
export const messageOf = (error: unknown): string => {
  if (isUnavailable(error) && error.cause instanceof Error) return `${error.message} (${error.cause.message})`;
  return error instanceof Error ? error.message : String(error);
};

export const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** The cause of a failed send of which nobody knows whether the network has taken the message. */
export class SendOutcomeUnknown extends Error {}

/** False when the message certainly was not sent: only then may it be sent again under another id. */
export const mayHaveBeenSent = (error: unknown): boolean =>
  error instanceof HandsetError && error.cause instanceof SendOutcomeUnknown;
