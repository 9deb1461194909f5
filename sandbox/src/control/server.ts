/** The HTTP server and router of the control interface: JSON in, JSON out, errors as `{error}`. */
import {
  type IncomingHttpHeaders,
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { ControlError, notFound, badRequest } from '../base/errors.ts';
import { isIP } from 'node:net';

interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  readonly signal: AbortSignal;
}

export class File {
  readonly mimetype: string;
  readonly bytes: Uint8Array;

  constructor(mimetype: string, bytes: Uint8Array) {
    this.mimetype = mimetype;
    this.bytes = bytes;
  }
}

export type Handler = (call: Call) => object | Promise<object>;

export type Routes = Readonly<Record<string, Handler>>;

type Router = (method: string, path: string) => { handler: Handler; params: Record<string, string> };

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

export interface ControlServer {
  readonly port: number;
  close(): Promise<void>;
}

const bodyLimit = 64 * 1024 * 1024;

const readBody = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyLimit) throw new ControlError(413, `the body is larger than ${bodyLimit} bytes`);
    chunks.push(chunk);
  }
  if (bytes === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw badRequest('the body is not JSON');
  }
};

const write = (response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void => {
  if (response.destroyed) return;
  if (body instanceof File) {
    response.writeHead(status, { 'content-type': body.mimetype, ...headers });
    response.end(body.bytes);
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
};

const isLoopback = (address = ''): boolean => /^(?:::ffff:)?127\.|^::1$/.test(address);

/** No keys, so browsers are kept out: pages of other origins, and names that resolve to this machine (DNS rebinding). */
const assertNoPage = ({ headers, socket }: IncomingMessage): void => {
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  const name = host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  if (isLoopback(socket.localAddress) && name !== 'localhost' && isIP(name) === 0) {
    throw new ControlError(403, 'this sandbox has no name: use its address, or localhost');
  }
  if (site === 'cross-site' || (origin !== undefined && origin !== `http://${host}`)) {
    throw new ControlError(403, 'no page of another origin may use the sandbox');
  }
};

const serve = async (find: Router, base: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  assertNoPage(request);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const url = new URL(request.url ?? '/', 'http://control');
  if (url.pathname !== base && !url.pathname.startsWith(`${base}/`)) {
    throw new ControlError(404, `everything here is under ${base}`);
  }
  const { handler, params } = find(request.method ?? 'GET', url.pathname.slice(base.length));
  const body = await readBody(request);
  const call = { params, query: url.searchParams, headers: request.headers, body, signal: gone.signal };
  write(response, 200, await handler(call));
};

const fail = (response: ServerResponse, error: unknown): void => {
  if (!(error instanceof ControlError)) {
    const message = error instanceof Error ? error.message : String(error);
    return write(response, 500, { error: `the sandbox failed: ${message}` });
  }
  const headers: Record<string, string> = {
    ...(error.allow.length > 0 && { allow: error.allow.join(', ') }),
    ...(error.status === 413 && { connection: 'close' }),
  };
  write(response, error.status, { error: error.message }, headers);
};

const listen = (server: Server, port: number, address: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => {
      const bound = server.address();
      if (bound === null || typeof bound === 'string') reject(new Error('the control interface has no port'));
      else resolve(bound.port);
    });
  });

export const startControl = async (options: {
  readonly router: Router;
  readonly base: string;
  readonly port: number;
  readonly address: string;
}): Promise<ControlServer> => {
  const server = createServer((request, response) => {
    serve(options.router, options.base, request, response).catch((error: unknown) => fail(response, error));
  });
  // A request may send thousands of messages or poll for long.
  server.requestTimeout = 0;
  // With the default, clients often reuse a connection just as it closes.
  server.keepAliveTimeout = 65_000;
  const port = await listen(server, options.port, options.address);
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
