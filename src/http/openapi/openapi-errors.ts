/** The errors of the OpenAPI document, each with its shape and an example (docs/spec/http-interface.md, Errors). */
import type { ErrorCode } from '../server/operation.ts';
import { errorBody } from '../server/errors.ts';

const described: Readonly<Record<ErrorCode, readonly [name: string, description: string, ...examples: string[]]>> = {
  400: [
    'BadRequest',
    'The request is malformed; the message names the field and the rule',
    'Invalid JSON format',
    'toNumber must be 8 to 15 digits, country code included',
    'Exactly one of to and toNumber must be given; both are missing',
    'Exactly one of mediaUrl and mediaBase64 must be given, not both',
    'Unknown field "mesage"; did you mean "message"?',
    'Invalid image format (only PNG, JPEG, GIF, WebP allowed)',
    'toNumber is not on the network: no account has this number',
    'to is not on the network: there is no such account',
    'to cannot be written to: the account is not in this group',
    'Image has too many pixels; at most 50 megapixels are sent',
    'webhookEvents has an unknown event kind "message.recieved"; the kinds are connection.open, connection.closed, connection.auth, connection.timeout, connection.logout, message.received, message.sent, message.updated, message.deleted, call',
    'Idempotency-Key was used before with another request',
    'The device is inactive; set subscription_status to active first',
    'Device has no webhookUrl; set it before testing the webhook',
    'cursor must be a nextCursor that this list gave',
    'after must be the id of an event of this device',
  ],
  401: [
    'Unauthorized',
    'The key is missing or invalid; the headers tell how many more authentications may fail from the address',
    'Missing or invalid authorization header; a Bearer token is required',
  ],
  403: [
    'DeviceLimitReached',
    'The device limit of the subscription is reached',
    'Device limit reached; 10 active devices, and your subscription allows 10',
  ],
  404: [
    'NotFound',
    'There is no such thing, or the device is not connected',
    'Device not found',
    'Device 7 is not connected',
    'Message not found',
    'Route not found',
  ],
  408: ['RequestTimeout', 'The request took too long', 'Request timeout'],
  409: [
    'Conflict',
    'It does not go now: a request with this Idempotency-Key is still running, the name is taken, or a linking is at another step',
    'A request with this Idempotency-Key is still running',
    'A user with this name exists already',
    'No passkey response is expected now',
  ],
  413: ['PayloadTooLarge', 'The body or the image is too large', 'Request payload too large'],
  422: [
    'NotAuthenticated',
    'The pairing is not completed',
    'Device is not fully authenticated; scan the QR code to complete the connection',
  ],
  429: [
    'RateLimited',
    'Too many requests; `Retry-After` says when to try again',
    'Rate limit exceeded; maximum 100 requests per minute per user',
  ],
  500: [
    'InternalError',
    'Something failed on our side',
    'Internal server error',
    'The device could not be paired: item-not-found',
    'Failed to send message',
    'Failed to send media message',
    'Failed to restart device 7',
    'Failed to disconnect device 7',
  ],
  503: [
    'Unavailable',
    'The database is not available, or the device is on its way from one node to another; `Retry-After` says when to try again',
    'The database is not available; try again in a few seconds, a send with its Idempotency-Key',
    'The device is moving to another node; try again in a few seconds',
    'The node that has the device was lost during the request; try again in a few seconds, a send with its Idempotency-Key',
  ],
};

const codes = [400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 503] as const;

const shapeA = {
  type: 'object',
  required: ['status'],
  properties: { status: { $ref: '#/components/schemas/Status' } },
};

const shapeB = {
  type: 'object',
  required: ['status', 'error'],
  properties: {
    status: { type: 'string', enum: ['error'] },
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: { type: 'integer', enum: [401] }, message: { type: 'string' } },
    },
  },
};

export const errorSchemas = { Error: shapeA, AuthenticationError: shapeB };

export const errorResponses = (headersOf: (code: number) => object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    codes.map((code) => {
      const [name, description, ...messages] = described[code];
      const schema = { $ref: `#/components/schemas/${code === 401 ? 'AuthenticationError' : 'Error'}` };
      const examples = Object.fromEntries(
        messages.map((message, index) => [`example${index + 1}`, { value: errorBody(code, message) }]),
      );
      return [name, { description, headers: headersOf(code), content: { 'application/json': { schema, examples } } }];
    }),
  );

export const errorRefs = (of: readonly ErrorCode[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(of.map((code) => [String(code), { $ref: `#/components/responses/${described[code][0]}` }]));
