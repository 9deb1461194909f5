/** URL rules checked before anything is sent: scheme, port, no credentials, no local host. */
import { invalidRequest } from '../errors.ts';
import { type AddressPolicy, literalOf, plainName } from './address.ts';

export const maxUrlLength = 2048;

/** 80, 443 and unprivileged ports: no mail, file and login services below 1024. */
const portAllowed = (port: number): boolean => port === 80 || port === 443 || (port >= 1024 && port <= 65_535);

/** Never public: RFC 6761, 6762, 8375, 9476, and common internal names. Names without a dot are local too. */
const localNames =
  /^[^.]*$|(^|\.)(localhost|localdomain|local|internal|intranet|lan|corp|home|private|home\.arpa|test|invalid|onion)$/;

export const isLocalName = (name: string): boolean => localNames.test(name);

const webhookHint =
  '. For a program on your machine run "handset listen"; the operator allows hosts with HANDSET_ALLOWED_PRIVATE_HOSTS';

/** Checks that need no name server. `fail` throws with the broken rule. */
export const checkHost = (
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
