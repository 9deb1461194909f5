/** One thread of sessions, as the main thread holds it: what it is asked, what it asks of the store, and what is left when it dies. */
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { systemClock } from '../clock.ts';
import type { ConnectOptions, Session, SessionListener } from '../domain/network.ts';
import type { Stores } from '../domain/stores.ts';
import { messageOf, SendOutcomeUnknown } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { MainCalls, Said, SessionName, ThreadCalls, ThreadData } from './contract.ts';
import { relayLog } from './log-relay.ts';
import { Peer } from './peer.ts';
import { watchPulse } from './pulse.ts';
import { RemoteSession } from './remote-session.ts';

export interface ThreadParts {
  readonly stores: Pick<Stores, 'credentials' | 'messages'>;
  readonly data: Omit<ThreadData, 'logLevel' | 'compileCache'>;
  readonly log: Logger;
  readonly isNew: (messageId: string) => boolean;
  /** It has ended by itself. */
  readonly onDeath: () => void;
}

interface Held {
  readonly session: RemoteSession;
  readonly listener: SessionListener;
}

/** Beside this file, or beside the bundle. */
const entry = new URL('./entry.ts', import.meta.url);

/** Node names a folder of its own version in the one that it is given. */
const compileCache = (): string | undefined => {
  const folder = getCompileCacheDir();
  return folder === undefined ? undefined : dirname(folder);
};

const tell = (listener: SessionListener, said: Said): void => {
  switch (said[0]) {
    case 'pairing':
      return listener.pairing(said[1]);
    case 'passkey':
      return listener.passkey(said[1]);
    case 'linked':
      return listener.linked(said[1]);
    case 'open':
      return listener.open(said[1]);
    case 'restricted':
      return listener.restricted(said[1]);
    case 'closed':
      return listener.closed(said[1]);
  }
};

export class SessionThread {
  readonly #parts: ThreadParts;
  readonly #worker: Worker;
  readonly #peer: Peer<ThreadCalls>;
  readonly #sessions = new Map<number, Held>();
  readonly #over = Promise.withResolvers<void>();
  readonly #rest: () => void;
  #alive = true;
  #ready = false;
  #stopping = false;

  constructor(parts: ThreadParts) {
    const { log, data } = parts;
    this.#parts = parts;
    const workerData: ThreadData = { ...data, logLevel: log.level, compileCache: compileCache() };
    this.#worker = new Worker(entry, { workerData, name: 'sessions' });
    this.#peer = new Peer(this.#worker, this.#serve());
    this.#worker.on('error', (error: unknown) => log.error({ error: messageOf(error) }, 'a thread of sessions failed'));
    this.#worker.once('exit', (code) => void this.#bury(code));
    this.#rest = watchPulse({
      clock: systemClock,
      ask: () => this.#peer.call('ping'),
      onSilence: () => {
        log.error('a thread of sessions does not answer any more');
        this.kill();
      },
    });
    // What keeps the process alive is that it listens.
    this.#worker.unref();
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Whether it has loaded, and runs. */
  get running(): boolean {
    return this.#ready && this.#alive;
  }

  get load(): number {
    return this.#sessions.size;
  }

  connect(number: number, options: ConnectOptions, baseUrl: string, listener: SessionListener): Session {
    const name = { number, deviceId: options.deviceId };
    const session = new RemoteSession({ name, thread: this.#peer, isNew: this.#parts.isNew });
    this.#sessions.set(number, { session, listener });
    this.#peer
      .call('connect', name, options, baseUrl)
      // A thread that is gone tells all its sessions.
      .catch((error: unknown) => this.#alive && this.#lose(name, messageOf(error)));
    return session;
  }

  /** When its sessions are closed. Resolves when nothing of it is written any more. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#worker.terminate();
    await this.#over.promise;
  }

  /** As a kill would end it. */
  kill(): void {
    void this.#worker.terminate();
  }

  #serve(): MainCalls {
    const { log, stores } = this.#parts;
    const { credentials, messages } = stores;
    return {
      loadCredentials: (deviceId) => credentials.loadCredentials(deviceId),
      readKeys: (deviceId, type, ids) => credentials.readKeys(deviceId, type, ids),
      readTogether: (deviceId, keys) => credentials.readTogether(deviceId, keys),
      readInbox: (deviceId, key) => credentials.readInbox(deviceId, key),
      async commit(...call) {
        await credentials.commit(...call);
      },
      async clearCredentials(...call) {
        await credentials.clearCredentials(...call);
      },
      findMessage: (...call) => messages.find(...call),
      listMessages: (...call) => messages.list(...call),
      ready: () => {
        this.#ready = true;
      },
      said: (name, said) => this.#hear(name, said),
      log: (line) => relayLog(log, line),
    };
  }

  #hear({ number, deviceId }: SessionName, said: Said): void {
    const held = this.#sessions.get(number);
    if (held === undefined) return;
    try {
      if (said[0] === 'closed') this.#sessions.delete(number);
      tell(held.listener, said);
    } catch (error) {
      this.#parts.log.error({ deviceId, error: messageOf(error) }, 'a session event failed');
    } finally {
      if (said[0] === 'closed') held.session.end();
    }
  }

  #lose(name: SessionName, detail: string): void {
    this.#hear(name, ['closed', { kind: 'lost', detail }]);
  }

  /** A dead thread ends its sessions as a kill of the process would; what it had asked the store for is finished first. */
  async #bury(code: number): Promise<void> {
    this.#alive = false;
    this.#rest();
    const sessions = this.#sessions.size;
    if (!this.#stopping) {
      this.#parts.log.error({ code, sessions }, 'a thread of sessions has ended');
      this.#parts.onDeath();
    }
    this.#peer.end(new SendOutcomeUnknown('the thread of the session has ended'));
    await this.#peer.settled();
    for (const [number, { session }] of this.#sessions) {
      this.#lose({ number, deviceId: session.deviceId }, 'the thread of the session has ended');
    }
    this.#over.resolve();
  }
}
