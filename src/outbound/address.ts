/** Which addresses may be reached: public ones, and those the operator listed. */
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Instance metadata services: unreachable unless listed by name, even if private addresses are allowed. */
const metadata = [
  '169.254.169.254/32', // most clouds
  '169.254.170.2/32', // container credentials
  '100.100.100.200/32',
  '192.0.0.192/32',
  '168.63.129.16/32', // a public address that answers inside one cloud only
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
].map((entry) => ipaddr.parseCIDR(entry));

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** NAT64 (RFC 6052): a host without IPv4 reaches IPv4 by it. The embedded address is checked. */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

const inside = (address: Address, [network, bits]: [Address, number]): boolean =>
  address.kind() === network.kind() && address.match(network, bits);

const unwrap = (address: Address): Address => {
  if (!(address instanceof ipaddr.IPv6)) return address;
  const embeds = address.isIPv4MappedAddress() || inside(address, nat64);
  return embeds ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
};

/** Globally reachable unicast, by an allow-list for IPv6 and a deny-list for IPv4 (IANA's special ranges). */
const isPublic = (address: Address): boolean => {
  if (address instanceof ipaddr.IPv6 && !inside(address, globalUnicast)) return false;
  return address.range() === 'unicast';
};

export const literalOf = (hostname: string): string | null => {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return ipaddr.IPv6.isValid(bare) || ipaddr.IPv4.isValidFourPartDecimal(bare) ? bare : null;
};

export const plainName = (hostname: string): string => hostname.toLowerCase().replace(/(?<!\.)\.+$/, '');

export interface AddressPolicy {
  allows(address: string, hostname: string): boolean;
  lists(hostname: string): boolean;
  readonly allowsSomePrivate: boolean;
  readonly allowsAllPrivate: boolean;
}

const parseEntry = (entry: string): [Address, number] | string => {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
  const literal = literalOf(entry);
  if (literal !== null) {
    const address = ipaddr.parse(literal);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  }
  if (!/^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/i.test(entry)) {
    throw new Error(`an allowed private host must be a host name, an address or a CIDR range; it is "${entry}"`);
  }
  return plainName(entry);
};

/** `allowList`: private host names, addresses and CIDR ranges that may be reached. */
export const makeAddressPolicy = (allowPrivateUrls: boolean, allowList: readonly string[]): AddressPolicy => {
  const entries = allowList.map(parseEntry);
  const names = new Set(entries.filter((entry) => typeof entry === 'string'));
  const ranges = entries.filter((entry) => typeof entry !== 'string');
  const listed = (address: Address): boolean => ranges.some((range) => inside(address, range));
  return {
    allowsAllPrivate: allowPrivateUrls,
    allowsSomePrivate: allowPrivateUrls || ranges.length > 0,
    lists: (hostname) => names.has(plainName(hostname)),
    allows(text, hostname) {
      if (!ipaddr.isValid(text)) return false;
      const address = unwrap(ipaddr.parse(text));
      if (names.has(plainName(hostname)) || listed(address)) return true;
      if (metadata.some((range) => inside(address, range))) return false;
      return allowPrivateUrls || isPublic(address);
    },
  };
};
