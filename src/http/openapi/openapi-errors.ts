/** Errors of the OpenAPI document, by operation (docs/spec/http-interface.md, Errors). */
import { type ErrorCode, errorsOf } from '../../contract/errors.ts';
import type { Declaration } from '../../contract/operation.ts';
import { errorBody } from '../wire/errors.ts';

const described: Readonly<Record<ErrorCode, readonly [name: string, description: string]>> = {
  400: ['BadRequest', 'The request is malformed; the message names the field and the rule'],
  401: [
    'Unauthorized',
    'The key is missing or invalid. The rate-limit headers show how many failed attempts the address has left',
  ],
  403: ['Forbidden', 'The device limit of the subscription is reached, or the number is on the suppression list'],
  404: ['NotFound', 'Not found, or the device is not connected'],
  408: ['RequestTimeout', 'The request took too long'],
  409: ['Conflict', 'Conflict: this request is still running, the name is taken, or pairing is at another step'],
  413: ['PayloadTooLarge', 'The body or the image is too large'],
  416: ['RangeNotSatisfiable', 'The range starts beyond the end of the file'],
  422: ['NotAuthenticated', 'The pairing is not completed'],
  429: ['RateLimited', 'Too many requests; `Retry-After` says when to try again'],
  500: ['InternalError', 'Internal error. Search the service log for this request ID'],
  503: [
    'Unavailable',
    'The database or the messaging network is not available, or the device is moving to another node; `Retry-After` says when to try again',
  ],
};

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

type Responses = Readonly<Record<string, unknown>>;

export class ErrorBook {
  readonly #headersOf: (code: number) => object;
  readonly #names = new Map<string, string>();
  readonly #components = new Map<string, unknown>();

  constructor(headersOf: (code: number) => object) {
    this.#headersOf = headersOf;
  }

  refs(op: Declaration): Responses {
    return Object.fromEntries([...errorsOf(op)].map(([code, messages]) => [code, this.#ref(code, messages, op)]));
  }

  get components(): Responses {
    return Object.fromEntries(this.#components);
  }

  #ref(code: ErrorCode, messages: readonly string[], op: Declaration): Responses {
    const same = JSON.stringify([code, messages]);
    const known = this.#names.get(same);
    if (known !== undefined) return { $ref: `#/components/responses/${known}` };
    const [first] = described[code];
    const name = this.#components.has(first) ? `${first}_${op.id}` : first;
    this.#names.set(same, name);
    this.#components.set(name, this.#response(code, messages));
    return { $ref: `#/components/responses/${name}` };
  }

  #response(code: ErrorCode, messages: readonly string[]): unknown {
    const schema = { $ref: `#/components/schemas/${code === 401 ? 'AuthenticationError' : 'Error'}` };
    const examples = messages.map((message, index) => [`example${index + 1}`, { value: errorBody(code, message) }]);
    const content = { schema, ...(examples.length > 0 && { examples: Object.fromEntries(examples) }) };
    return {
      description: described[code][1],
      headers: this.#headersOf(code),
      content: { 'application/json': content },
    };
  }
}
