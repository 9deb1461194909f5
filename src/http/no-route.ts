/** Requests that no route takes: 405 with `Allow` where other methods of their path do (RFC 9110, section 15.5.6), else 404. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Reason } from '../errors.ts';
import { errorBody, reasonHeader, routeNotFound } from './wire/errors.ts';

interface Path {
  /** A parameter begins with a colon. */
  readonly segments: readonly string[];
  readonly parameters: number;
  readonly methods: Set<string>;
}

const matches = ({ segments }: Path, asked: readonly string[]): boolean =>
  segments.length === asked.length &&
  segments.every((segment, index) => segment === asked[index] || segment.startsWith(':'));

export class NoRoute {
  readonly #paths = new Map<string, Path>();

  constructor(app: FastifyInstance) {
    app.addHook('onRoute', ({ url, method, config }) => {
      if (url.includes('*') || config?.isRefusal === true) return;
      const segments = url.split('/');
      const parameters = segments.filter((segment) => segment.startsWith(':')).length;
      const path = this.#paths.get(url) ?? { segments, parameters, methods: new Set() };
      this.#paths.set(url, path);
      for (const each of [method].flat()) path.methods.add(each);
    });
  }

  readonly answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const asked = request.url.split('?', 1)[0]!.split('/');
    const [path] = this.#paths
      .values()
      .filter((each) => matches(each, asked))
      .toArray()
      .sort((a, b) => a.parameters - b.parameters);
    if (path === undefined || path.methods.has(request.method)) throw routeNotFound();
    return reply
      .code(405)
      .header('allow', [...path.methods].sort().join(', '))
      .header(reasonHeader, 'method_not_allowed' satisfies Reason)
      .send(errorBody(405, 'Method not allowed'));
  };

  /** A parameter takes no word that is a path of its own: `GET /devices/adopt` asks for no device. Call after the routes below `prefix` are added to `app`. */
  keepWords(app: FastifyInstance, prefix: string): void {
    for (const [url, { segments, methods }] of this.#paths) {
      if (!url.startsWith(`${prefix}/`)) continue;
      const others = this.#paths.values().filter((other) => other.segments !== segments && matches(other, segments));
      const refused = new Set(
        others.flatMap((other) => other.methods.values().filter((method) => !methods.has(method))),
      );
      if (refused.size === 0) continue;
      app.route({
        method: [...refused],
        url: url.slice(prefix.length),
        exposeHeadRoute: false,
        config: { isRefusal: true },
        handler: this.answer,
      });
    }
  }
}
