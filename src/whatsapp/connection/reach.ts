/** Finds out why the network is unreachable: name, connection, or TLS. */
import { lookup } from 'node:dns/promises';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { messageOf } from '../../errors.ts';

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : messageOf(error);

interface Reaching {
  readonly timeoutMs: number;
  readonly ca?: string;
}

const connects = ({ protocol, hostname, port }: URL, { timeoutMs, ...trust }: Reaching): Promise<void> =>
  new Promise((resolve, reject) => {
    const isTls = protocol === 'wss:';
    const to = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port === '' ? (isTls ? 443 : 80) : port) };
    const socket = isTls ? connectTls({ ...to, ...trust, servername: hostname }) : connectTcp(to);
    const timer = setTimeout(() => end(() => reject(new Error('no answer'))), timeoutMs);
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      socket.destroy();
      settle();
    };
    socket.once(isTls ? 'secureConnect' : 'connect', () => end(resolve));
    socket.on('error', (error) => end(() => reject(error)));
  });

const usual: Reaching = { timeoutMs: 4_000 };

/** Without a full stop; null if reachable. `socketUrl`: `ws:` or `wss:`. */
export const unreachableBecause = async (socketUrl: string, reaching = usual): Promise<string | null> => {
  const url = new URL(socketUrl);
  const cannot = `${url.hostname} cannot be reached`;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('no answer')), reaching.timeoutMs);
  try {
    await Promise.race([lookup(url.hostname.replace(/^\[|\]$/g, '')), late]);
  } catch (error) {
    return `${cannot}: DNS does not resolve its name (${codeOf(error)})`;
  } finally {
    clearTimeout(timer);
  }
  try {
    await connects(url, reaching);
    return null;
  } catch (error) {
    return `${cannot}: no ${url.protocol === 'wss:' ? 'TLS ' : ''}connection (${codeOf(error)})`;
  }
};
