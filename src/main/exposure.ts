/** Warns if keys would cross a network unencrypted. */
import type { Config } from '../config.ts';

const loopback = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/i;

type Exposed = Pick<Config, 'host' | 'tls' | 'trustProxy'>;

export const exposureWarning = ({ host, tls, trustProxy }: Exposed): string | null =>
  loopback.test(host) || tls !== null || trustProxy.length > 0
    ? null
    : `HANDSET_HOST is ${host}, so API keys and messages cross the network unencrypted. ` +
      'Set HANDSET_TLS_CERT and HANDSET_TLS_KEY, or put a TLS proxy in front and name it in HANDSET_TRUST_PROXY, ' +
      'or listen on 127.0.0.1 (docs/operations.md).';
