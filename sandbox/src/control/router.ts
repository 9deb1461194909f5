/** Finds the handler of a request by path and method. */
import type { IncomingHttpHeaders } from 'node:http';
import { ControlError, notFound } from '../base/errors.ts';

export interface Call {
  /** Path parameters by name, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The JSON of the body; `undefined` when there is none. */
  readonly body: unknown;
  /** Ends when the client goes away. */
  readonly signal: AbortSignal;
}

/** Bytes to answer with instead of JSON. */
export class File {
  readonly mimetype: string;
  readonly bytes: Uint8Array;

  constructor(mimetype: string, bytes: Uint8Array) {
    this.mimetype = mimetype;
    this.bytes = bytes;
  }
}

export type Handler = (call: Call) => object | Promise<object>;

/** Handlers by `<METHOD> <path>`; a segment in braces is a parameter. */
export type Routes = Readonly<Record<string, Handler>>;

export type Router = (method: string, path: string) => { handler: Handler; params: Record<string, string> };

/** Throws 404 for an unknown path, 405 for a method that it does not have. */
export const makeRouter = (routes: Routes): Router => {
  const known = Object.entries(routes).map(([name, handler]) => {
    const [method = '', path = ''] = name.split(' ');
    const pattern = new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)').replace(/\/$/, '')}/?$`);
    return { method, pattern, handler };
  });
  return (method, path) => {
    const found = known.flatMap((route) => {
      const match = route.pattern.exec(path);
      return match === null ? [] : [{ ...route, params: match.groups ?? {} }];
    });
    const route = found.find((each) => each.method === method);
    if (route !== undefined) {
      const params = Object.entries(route.params).map(([name, value]) => [name, decode(value)] as const);
      return { handler: route.handler, params: Object.fromEntries(params) };
    }
    if (found.length === 0) throw notFound(`there is nothing at ${path}`);
    const allow = found.map((each) => each.method);
    throw new ControlError(405, `${method} is not for ${path}; it has ${allow.join(', ')}`, allow);
  };
};

const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};
