/** A way between two programs that a test can break: TCP, byte for byte. */
import { type Socket, connect, createServer } from 'node:net';

export interface Proxy {
  readonly port: number;
  /** Leads to this port; until then, and after `refuse`, connections are closed as they come. */
  lead(port: number): void;
  /** Breaks every connection, and takes no new one until `restore`. */
  refuse(): void;
  /** Lets nothing through any more, without a word, until `restore`. */
  hang(): void;
  restore(): void;
  /** Breaks the next connection that carries an answer with this in it, in the place of that answer. */
  swallow(text: string): Promise<void>;
  /** Breaks the connection whose request has the last of so many bytes that come from now on. */
  cutAfter(bytes: number): Promise<void>;
  /** The bytes of each connection that come from now on, towards the target. */
  record(): readonly Buffer[][];
  close(): Promise<void>;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
}

const end = ({ near, far }: Pair): void => {
  near.destroy();
  far.destroy();
};

export const startProxy = async (): Promise<Proxy> => {
  const pairs = new Set<Pair>();
  let target: number | null = null;
  let state: 'open' | 'refusing' | 'hanging' = 'open';
  let unwanted: { readonly text: string; readonly done: () => void } | null = null;
  let limit: { left: number; readonly done: () => void } | null = null;
  let recording: { readonly of: Map<Pair, Buffer[]>; readonly all: Buffer[][] } | null = null;
  const note = (pair: Pair, bytes: Buffer): void => {
    if (recording === null) return;
    const known = recording.of.get(pair);
    if (known !== undefined) return void known.push(bytes);
    const first = [bytes];
    recording.of.set(pair, first);
    recording.all.push(first);
  };
  const still = (pair: Pair): void => {
    pair.near.pause();
    pair.far.pause();
  };
  const server = createServer((near) => {
    near.on('error', () => near.destroy());
    if (state === 'refusing' || target === null) return void near.destroy();
    const far = connect(target, '127.0.0.1');
    const pair = { near, far };
    pairs.add(pair);
    far.on('error', () => far.destroy());
    for (const socket of [near, far]) {
      socket.setNoDelay(true);
      socket.once('close', () => {
        pairs.delete(pair);
        end(pair);
      });
    }
    near.on('data', (bytes: Buffer) => {
      note(pair, Buffer.from(bytes));
      if (limit !== null && (limit.left -= bytes.length) <= 0) {
        limit.done();
        limit = null;
        return end(pair);
      }
      far.write(bytes);
    });
    far.on('data', (bytes) => {
      if (unwanted !== null && bytes.includes(unwanted.text)) {
        unwanted.done();
        unwanted = null;
        return end(pair);
      }
      near.write(bytes);
    });
    if (state === 'hanging') still(pair);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    lead: (port) => {
      target = port;
    },
    refuse() {
      state = 'refusing';
      for (const pair of pairs) end(pair);
    },
    hang() {
      state = 'hanging';
      for (const pair of pairs) still(pair);
    },
    restore() {
      state = 'open';
      for (const { near, far } of pairs) {
        near.resume();
        far.resume();
      }
    },
    swallow: (text) =>
      new Promise((done) => {
        unwanted = { text, done };
      }),
    cutAfter: (bytes) =>
      new Promise((done) => {
        limit = { left: bytes, done };
      }),
    record() {
      recording = { of: new Map(), all: [] };
      return recording.all;
    },
    async close() {
      for (const pair of pairs) end(pair);
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
