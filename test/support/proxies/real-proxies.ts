/** Real proxies: Debian's `tinyproxy` (HTTP CONNECT) and `microsocks` (SOCKS5), each in its own process. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../port.ts';
import { eventually } from '../wait.ts';

/** Only the proxies connect to the network from this address. */
export const proxyAddress = '127.0.0.2';

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

export interface RealProxy extends AsyncDisposable {
  readonly port: number;
  /** Number of connections in its own log. */
  connections(): number;
}

const isThere = (program: string): boolean => {
  try {
    execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

const missing = ['tinyproxy', 'microsocks'].filter((program) => !isThere(program));

/** Reason to skip tests of proxies; false if both are installed and their address is usable. */
export const noProxies: string | false =
  missing.length > 0
    ? `there is no ${missing.join(' and no ')} on the path`
    : process.platform !== 'linux' && 'Linux alone has all of 127.0.0.0/8';

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false)).once('connect', () => socket.destroy());
  });

/** `told` matches a log line about a connection to the network. */
const running = async (child: ChildProcess, port: number, told: RegExp): Promise<RealProxy> => {
  let log = '';
  for (const output of [child.stdout, child.stderr]) output?.setEncoding('utf8').on('data', (text) => (log += text));
  const exited = once(child, 'exit');
  await eventually(`a proxy on port ${port}`, async () => {
    if (child.exitCode !== null) throw new Error(`the proxy does not start: ${log}`);
    return answers(port);
  });
  return {
    port,
    connections: () => log.split('\n').filter((line) => told.test(line)).length,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
};

export const startTinyproxy = async (credentials: Credentials | null = null, given?: number): Promise<RealProxy> => {
  const port = given ?? (await freePort());
  const folder = mkdtempSync(join(tmpdir(), 'handset-tinyproxy-'));
  const file = join(folder, 'tinyproxy.conf');
  const login = credentials === null ? '' : `BasicAuth ${credentials.user} ${credentials.password}\n`;
  writeFileSync(
    file,
    `Port ${port}\nListen 127.0.0.1\nBind ${proxyAddress}\nMaxClients 50\nLogLevel Connect\n${login}`,
  );
  const child = spawn('tinyproxy', ['-d', '-c', file], { stdio: ['ignore', 'pipe', 'pipe'] });
  const proxy = await running(child, port, /Established connection to host/);
  rmSync(folder, { recursive: true });
  return proxy;
};

export const startMicrosocks = async (credentials: Credentials | null = null, given?: number): Promise<RealProxy> => {
  const port = given ?? (await freePort());
  const login = credentials === null ? [] : ['-u', credentials.user, '-P', credentials.password];
  const options = ['-i', '127.0.0.1', '-p', String(port), '-b', proxyAddress, ...login];
  return running(spawn('microsocks', options, { stdio: ['ignore', 'pipe', 'pipe'] }), port, /connected to/);
};
