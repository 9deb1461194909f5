/** Connections through a proxy: HTTP CONNECT (RFC 9110) and SOCKS5 (RFC 1928). The proxy's own address is checked like any other. */
import { request } from 'node:http';
import type { Socket } from 'node:net';
import type * as Socks from 'socks';
import { type buildConnector, errors } from 'undici';
import { HandsetError, ProxyFailed } from '../errors.ts';
import { type AddressPolicy, literalOf, plainName } from './address.ts';
import { type ConnectSettings, ForbiddenAddress, makeConnector } from './connect.ts';
import { isLocalName, checkProxy, type ProxyAddress } from './url.ts';

export type Tunnel = (host: string, port: number) => Promise<Socket>;

interface Target {
  readonly host: string;
  readonly port: number;
}

/** Timeout of the proxy's answer, which comes after it has reached the network. */
const answerMs = 15_000;

/** Timeout of its first reply, for which it needs nobody else. */
const greetingMs = 3_000;

const silent = 'the proxy does not answer';
const mute = 'the proxy does not answer as SOCKS5 does';
const closed = 'the proxy closes the connection without an answer';
const notHttp = 'the proxy does not speak HTTP';

const isParseError = (code: unknown): boolean => typeof code === 'string' && code.startsWith('HPE_');

const refusal = ({ credentials }: ProxyAddress): string =>
  credentials === null
    ? 'the proxy asks for a user name and a password'
    : 'the proxy refuses its user name or password';

export class DeadlineExceeded extends Error {}

const known: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name was not found',
  EAI_AGAIN: 'the host name could not be looked up',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was closed before the answer',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
  CERT_HAS_EXPIRED: 'the TLS certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the TLS certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the TLS certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the TLS certificate is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the TLS certificate is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the TLS certificate is for another host',
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const firstOf = (error: unknown): unknown =>
  error instanceof AggregateError ? (error.errors.find((one) => codeOf(one) !== '') ?? error) : error;

export const inWords = (thrown: unknown, timeoutMs: number): string => {
  const error = firstOf(thrown);
  if (error instanceof DeadlineExceeded) return `no complete answer within ${Math.round(timeoutMs / 1000)} s`;
  if (error instanceof ForbiddenAddress) return error.message;
  const code = codeOf(error) || codeOf(error instanceof Error ? error.cause : null);
  const words = known[code];
  if (words !== undefined) return words;
  if (error instanceof errors.HTTPParserError) return 'the answer is not valid HTTP';
  if (/^(ERR_SSL|ERR_TLS|EPROTO|CERT_)/.test(code)) return 'the TLS handshake failed';
  return 'the connection failed';
};

const reached = (connect: buildConnector.connector, { protocol, hostname, port }: ProxyAddress, timeoutMs: number) =>
  new Promise<Socket>((resolve, reject) => {
    const scheme = protocol === 'https:' ? 'https:' : 'http:';
    const host = hostname.replace(/^\[|\]$/g, '');
    connect({ protocol: scheme, hostname: host, host, port: String(port) }, (error, socket) => {
      if (error === null) return resolve(socket);
      const why = inWords(error, timeoutMs);
      const words = error instanceof ForbiddenAddress ? 'the proxy has a private or reserved address' : why;
      reject(new ProxyFailed(words === why ? `the proxy cannot be reached: ${why}` : words));
    });
  });

const inBrackets = (host: string): string => (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host);

const connectWords = (status: number, proxy: ProxyAddress): string => {
  // tinyproxy answers 401 to a wrong password instead of 407.
  if (status === 407 || status === 401) return refusal(proxy);
  if (status === 403) return 'the proxy does not allow connections to the network (403)';
  return `the proxy answers ${status} and does not connect to the network`;
};

const basic = ({ user, password }: NonNullable<ProxyAddress['credentials']>): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

const askByConnect = (socket: Socket, proxy: ProxyAddress, { host, port }: Target): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const path = `${inBrackets(host)}:${port}`;
    const { credentials } = proxy;
    const headers = { host: path, ...(credentials && { 'proxy-authorization': basic(credentials) }) };
    const asked = request({ method: 'CONNECT', path, headers, createConnection: () => socket });
    const fail = (words: string): void => {
      asked.destroy();
      reject(new ProxyFailed(words));
    };
    asked.setTimeout(answerMs, () => fail(silent));
    asked.once('error', (error) => fail('code' in error && isParseError(error.code) ? notHttp : closed));
    // Emitted for every answer to CONNECT, whatever its status.
    asked.once('connect', ({ statusCode: status = 0 }, connected, head) => {
      if (status < 200 || status > 299) return fail(connectWords(status, proxy));
      connected.setTimeout(0);
      if (head.length > 0) connected.unshift(head);
      resolve(socket);
    });
    asked.end();
  });

/** The library's messages contain the credentials and little else, so only the kind of error is used. */
const socksWords = (error: unknown, proxy: ProxyAddress): string => {
  const text = error instanceof Error ? error.message : '';
  if (/authentication/i.test(text)) return refusal(proxy);
  if (/rejected connection/i.test(text)) return 'the proxy does not connect to the network';
  if (/timed out/i.test(text)) return silent;
  if (/closed/i.test(text)) return closed;
  return 'the proxy does not speak SOCKS5';
};

const askBySocks = async (
  { SocksClient }: typeof Socks,
  socket: Socket,
  proxy: ProxyAddress,
  destination: Target,
): Promise<Socket> => {
  const { hostname: host, port, credentials } = proxy;
  const userInfo = credentials === null ? {} : { userId: credentials.user, password: credentials.password };
  let isMute = false;
  // An HTTP proxy would wait for the rest of an HTTP request.
  const impatience = setTimeout(() => {
    isMute = true;
    socket.destroy();
  }, greetingMs);
  socket.once('data', () => clearTimeout(impatience));
  try {
    await SocksClient.createConnection({
      command: 'connect',
      destination,
      proxy: { host, port, type: 5, ...userInfo },
      timeout: answerMs,
      existing_socket: socket,
    });
    return socket;
  } catch (error) {
    socket.destroy();
    throw new ProxyFailed(isMute ? mute : socksWords(error, proxy));
  } finally {
    clearTimeout(impatience);
  }
};

/** A proxy inside the network must not circumvent the checks. It resolves names itself, so only literal addresses can be checked here. */
const assertTarget = (host: string, policy: AddressPolicy): void => {
  const name = plainName(host);
  const literal = literalOf(name);
  const isPublic = literal === null ? !isLocalName(name) : policy.allows(literal, name);
  if (isPublic || policy.lists(name) || (literal === null && policy.allowsAllPrivate)) return;
  throw new ProxyFailed('the network has a private or reserved address, which is not reached through a proxy');
};

const parsed = (text: string, policy: AddressPolicy): ProxyAddress => {
  try {
    return checkProxy(text, policy);
  } catch (error) {
    // An address allowed when it was set may be forbidden now.
    throw error instanceof HandsetError ? new ProxyFailed(`the ${error.message}`) : error;
  }
};

export const makeTunnels = (settings: ConnectSettings): ((proxy: string) => Tunnel) => {
  const { policy, timeoutMs } = settings;
  const connect = makeConnector(settings);
  return (text) => async (host, port) => {
    const proxy = parsed(text, policy);
    assertTarget(host, policy);
    // Loaded only if used, and before there is a connection whose end could be missed.
    const socks = proxy.protocol === 'socks5:' ? await import('socks') : null;
    const socket = await reached(connect, proxy, timeoutMs);
    // Reported by what is built on the socket.
    socket.on('error', () => {});
    const target = { host, port };
    return socks === null ? askByConnect(socket, proxy, target) : askBySocks(socks, socket, proxy, target);
  };
};
