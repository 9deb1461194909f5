/** The bridge as one HTTP server: `/handset` and `/chatwoot` take the webhooks, `/health` says that it runs. */
import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { type Hook, chatwootClient } from './chatwoot.ts';
import type { Config } from './config.ts';
import { FromChatwoot } from './from-chatwoot.ts';
import { FromHandset } from './from-handset.ts';
import { type Event, eventTypes, handsetClient } from './handset.ts';
import { Refused, parse } from './http.ts';
import { People } from './people.ts';
import { Posts } from './posts.ts';
import { Sender } from './sender.ts';
import { isFromChatwoot, isFromHandset } from './signatures.ts';
import { State } from './state.ts';

/** Runs `work` when all earlier work of the key has ended, however it ended. */
const keyQueue = () => {
  const last = new Map<string | number, Promise<unknown>>();
  return <T>(key: string | number, work: () => Promise<T>): Promise<T> => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, mine);
    const forget = (): void => {
      if (last.get(key) === mine) last.delete(key);
    };
    void mine.then(forget, forget);
    return mine;
  };
};

/** A webhook with a message of 65,536 characters is far below. */
const longestBody = 4 * 1024 * 1024;

class TooLong extends Error {}

const read = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > longestBody) throw new TooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const reasonOf = (error: unknown): string => {
  if (error instanceof Refused) return `answered ${error.status}`;
  return error instanceof Error ? error.name : 'unknown error';
};

type Warn = (text: string) => void;

/** All parts of the bridge but the server. */
const partsOf = (config: Config, warn: Warn) => {
  const state = new State(config.file);
  const chatwoot = chatwootClient(config.chatwoot);
  const handset = handsetClient(config.handset);
  const parts = { ...config, state, chatwoot, handset, warn };
  const sender = new Sender(parts);
  const fromHandset = new FromHandset({
    ...parts,
    people: new People(parts),
    posts: new Posts(parts),
    sendsSettled: () => sender.settled(),
  });
  return {
    state,
    sender,
    fromHandset,
    fromChatwoot: new FromChatwoot({ ...parts, sender, ...config.chatwoot, chatwoot }),
  };
};

const routes = (config: Config, { fromHandset, fromChatwoot }: ReturnType<typeof partsOf>, warn: Warn) => {
  const inOrder = keyQueue();
  const onHandset = async (request: IncomingMessage, body: string): Promise<number> => {
    if (!isFromHandset(config.handset.secret, request.headers, body)) return 401;
    const event = parse<Event>(body);
    if (!eventTypes.includes(event.type)) return 204;
    const { chat } = 'message' in event.data ? event.data.message : event.data;
    try {
      await inOrder(chat, () => fromHandset.take(event));
      return 204;
    } catch (error) {
      // No 2xx: Handset keeps the event and posts it again.
      warn(`event ${event.id} waits: ${reasonOf(error)}`);
      return 503;
    }
  };
  return async (request: IncomingMessage): Promise<number> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (request.method === 'GET' && pathname === '/health') return 204;
    if (request.method !== 'POST') return 404;
    const body = await read(request);
    if (pathname === '/handset') return onHandset(request, body);
    if (pathname !== '/chatwoot') return 404;
    if (!isFromChatwoot(config.chatwoot, request.headers, body, searchParams)) return 401;
    await fromChatwoot.take(parse<Hook>(body));
    return 204;
  };
};

const addressOf = (server: Server, host: string): string => {
  const address = server.address();
  return `http://${host}:${typeof address === 'object' ? address?.port : address}`;
};

export interface Bridge {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the bridge. `warn` gets one line for each thing that went wrong, without names, numbers or texts. */
export const startBridge = async (config: Config, warn: Warn): Promise<Bridge> => {
  const parts = partsOf(config, warn);
  const route = routes(config, parts, warn);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      response.writeHead(await route(request)).end();
    } catch (error) {
      if (error instanceof TooLong) return void response.writeHead(413, { connection: 'close' }).end();
      warn(`a post could not be taken: ${reasonOf(error)}`);
      response.writeHead(error instanceof SyntaxError ? 400 : 500).end();
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  await once(server.listen(config.port, config.host), 'listening');
  parts.sender.start();
  return {
    url: addressOf(server, config.host),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      await parts.sender.stop();
      await closed;
      parts.state.close();
    },
  };
};
