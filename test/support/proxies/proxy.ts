/** A breakable TCP connection between two programs. */
import { type Socket, connect, createServer } from 'node:net';

export interface Proxy {
  readonly port: number;
  /** Connects to this port. Before, and after `refuse`, connections are closed immediately. */
  lead(port: number): void;
  /** Breaks all connections and refuses new ones until `restore`. */
  refuse(): void;
  /** Silently drops everything until `restore`. */
  hang(): void;
  restore(): void;
  /** Breaks the next connection with an answer that contains this text, instead of passing it on. */
  swallow(text: string): Promise<void>;
  /** Breaks the connection whose request contains the last of this many bytes. */
  cutAfter(bytes: number): Promise<void>;
  /** Records the bytes of each connection towards the target from now on. */
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
