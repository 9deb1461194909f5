/** Every route that the framework has, as it is told of them: so that a test can ask for each, also for the next one. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';
import type { Operation } from '../../src/http/wire/operation.ts';

export interface Route {
  readonly method: string;
  /** As Fastify has it: `/v1/devices/:id`. */
  readonly url: string;
  /** Undefined for what is no operation: health, pages, and the refusal of other methods. */
  readonly operation: Operation | undefined;
  /** Answers 405 and nothing else. */
  readonly refusal: boolean;
}

/** Runs `build` and gives all routes that were made meanwhile, without HEAD, which is GET without a body. */
export const routesOf = async <T>(build: () => Promise<T>): Promise<{ result: T; routes: readonly Route[] }> => {
  const routes: Route[] = [];
  const listen = (message: unknown): void => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', ({ method, url, config }) => {
      const methods = Array.isArray(method) ? method : [method];
      for (const one of methods) {
        if (one === 'HEAD') continue;
        routes.push({ method: one, url, operation: config?.operation, refusal: config?.isRefusal === true });
      }
    });
  };
  subscribe('fastify.initialization', listen);
  try {
    return { result: await build(), routes };
  } finally {
    unsubscribe('fastify.initialization', listen);
  }
};

/** The path with its parameters filled in. */
export const filled = (url: string, params: Readonly<Record<string, string | number>>): string =>
  url.replace(/:(\w+)/g, (_whole, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${url}: the test does not know what to put for :${name}`);
    return encodeURIComponent(value);
  });
