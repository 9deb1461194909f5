/** URL rules checked before anything is sent: scheme, port, no credentials, no local host. */
import { invalidRequest } from '../errors.ts';
import { type AddressPolicy, literalOf, plainName } from './address.ts';

const maxUrlLength = 2048;

/** 80, 443 and unprivileged ports: no mail, file and login services below 1024. */
const portAllowed = (port: number): boolean => port === 80 || port === 443 || (port >= 1024 && port <= 65_535);

/** Never public: RFC 6761, 6762, 8375, 9476, and common internal names. Names without a dot are local too. */
const localNames =
  /^[^.]*$|(^|\.)(localhost|localdomain|local|internal|intranet|lan|corp|home|private|home\.arpa|test|invalid|onion)$/;

export const isLocalName = (name: string): boolean => localNames.test(name);

const webhookHint =
  '. For a program on your machine run "handset listen"; the operator allows hosts with HANDSET_ALLOWED_PRIVATE_HOSTS';

/** Checks that need no name server. `fail` throws with the broken rule. */
const checkHost = (
  { hostname, port }: { readonly hostname: string; readonly port: number },
  policy: AddressPolicy,
  fail: (rule: string) => never,
): void => {
  const name = plainName(hostname);
  if (name === '') fail('must name a host');
  if (!policy.allowsAllPrivate && !portAllowed(port)) fail('must use port 80, 443 or one from 1024 to 65535');
  const literal = literalOf(name);
  if (literal !== null) {
    if (!policy.allows(literal, name)) fail('must not point to a private or reserved address');
  } else if (isLocalName(name) && !policy.lists(name) && !policy.allowsSomePrivate) {
    fail('must not point to a local host');
  }
};

/** Sends no packet, not even to a name server: the address is checked at connect time. */
export const checkUrl = (text: string, member: string, policy: AddressPolicy): URL => {
  const fail = (rule: string): never => {
    throw invalidRequest(`${member} ${rule}`);
  };
  if (text.length > maxUrlLength) fail(`must have at most ${maxUrlLength} characters`);
  if (!URL.canParse(text)) fail('must be an absolute http:// or https:// URL');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') fail('must be an http:// or https:// URL');
  if (url.username !== '' || url.password !== '') fail('must not contain a user name or password');
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  const isWebhook = member === 'webhookUrl' || member === 'url';
  checkHost({ hostname: url.hostname, port }, policy, (rule) =>
    fail(isWebhook && rule.startsWith('must not point') ? rule + webhookHint : rule),
  );
  return url;
};

/** The proxy URL of a device: its rules and parts. */
export interface ProxyAddress {
  readonly protocol: 'http:' | 'https:' | 'socks5:';
  readonly hostname: string;
  readonly port: number;
  readonly credentials: { readonly user: string; readonly password: string } | null;
}

const usualPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'socks5:': 1080, 'socks5h:': 1080 };

const fail = (rule: string): never => {
  throw invalidRequest(`proxy ${rule}`);
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return fail('must have % in its user name or password written as %25');
  }
};

const credentialsOf = (url: URL): ProxyAddress['credentials'] => {
  if (url.username === '' && url.password === '') return null;
  const user = decoded(url.username);
  const password = decoded(url.password);
  if (user === '') fail('must have a user name where it has a password');
  // RFC 7617 and RFC 1929 cannot carry these.
  if (user.includes(':')) fail('must not have a colon in its user name');
  if (Buffer.byteLength(user) > 255 || Buffer.byteLength(password) > 255) {
    fail('must have a user name and a password of at most 255 bytes each');
  }
  if (/\p{Cc}/u.test(user + password)) fail('must not have control characters in its user name or password');
  return { user, password };
};

/** URL normalizes hosts only for web schemes: lower case, and `0x7f.1` as `127.0.0.1`. */
const hostOf = (url: URL): string => {
  const known = `http://${url.hostname}`;
  return url.hostname !== '' && URL.canParse(known) ? new URL(known).hostname : fail('must name a host');
};

/** Without network access. Throws InvalidRequest, with nothing of the URL in its message. */
export const checkProxy = (text: string, policy: AddressPolicy): ProxyAddress => {
  if (text.length > maxUrlLength) fail(`must have at most ${maxUrlLength} characters`);
  if (!URL.canParse(text)) fail('must be a URL such as http://user:password@host:3128 or socks5://host:1080');
  const url = new URL(text);
  const usualPort = usualPorts[url.protocol] ?? fail('must begin with http://, https://, socks5:// or socks5h://');
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '') fail('must end after its host and port');
  const hostname = hostOf(url);
  const port = url.port === '' ? usualPort : Number(url.port);
  checkHost({ hostname, port }, policy, fail);
  const protocol = url.protocol === 'http:' || url.protocol === 'https:' ? url.protocol : 'socks5:';
  return { protocol, hostname, port, credentials: credentialsOf(url) };
};

export const proxyText = ({ protocol, hostname, port, credentials }: ProxyAddress): string => {
  const userInfo =
    credentials === null ? '' : `${encodeURIComponent(credentials.user)}:${encodeURIComponent(credentials.password)}@`;
  return `${protocol}//${userInfo}${hostname}:${port}`;
};
