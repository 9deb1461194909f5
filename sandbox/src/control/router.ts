/** Finds the handler of a request by path and method. */
import type { IncomingHttpHeaders } from 'node:http';
import { ControlError, notFound } from './errors.ts';

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

interface Route {
  readonly method: string;
  readonly segments: readonly string[];
  readonly handler: Handler;
}

const parse = (routes: Routes): readonly Route[] =>
  Object.entries(routes).map(([name, handler]) => {
    const [method = '', path = ''] = name.split(' ');
    return { method, segments: path.split('/').filter(Boolean), handler };
  });

const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

const match = ({ segments }: Route, path: readonly string[]): Record<string, string> | null => {
  if (segments.length !== path.length) return null;
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    if (segment.startsWith('{')) params[segment.slice(1, -1)] = path[index]!;
    else if (segment !== path[index]) return null;
  }
  return params;
};

export type Router = (method: string, path: string) => { handler: Handler; params: Record<string, string> };

/** Throws 404 for an unknown path, 405 for a method that it does not have. */
export const makeRouter = (routes: Routes): Router => {
  const known = parse(routes);
  return (method, path) => {
    const segments = path.split('/').filter(Boolean).map(decode);
    const allow: string[] = [];
    for (const route of known) {
      const params = match(route, segments);
      if (params === null) continue;
      if (route.method === method) return { handler: route.handler, params };
      allow.push(route.method);
    }
    if (allow.length > 0)
      throw new ControlError(405, `${method} is not for ${path}; it has ${allow.join(', ')}`, allow);
    throw notFound(`there is nothing at ${path}`);
  };
};
