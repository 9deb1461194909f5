/** The only reader of the environment: HANDSET_* variables, validated at start (docs/configuration.md lists them). */
import { isIP } from 'node:net';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import {
  type Env,
  fail,
  flag,
  integer,
  list,
  refuseRemains,
  text,
  url,
  type MediaStoreConfig,
  mediaStoreOf,
} from './config/values.ts';

export const version = '0.3.0';

export interface Config {
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  readonly bootstrapKey: string | null;
  readonly bootstrapDeviceLimit: number;
  /** Control URL of a sandbox run elsewhere; null: the real network, or the sandbox of `--sandbox`. */
  readonly network: string | null;
  /** File with numbers of queries that replace the bundled ones; null: none. */
  readonly queryIdsFile: string | null;
  /** Pins the revision of the web client; null: the newest one known. */
  readonly clientRevision: number | null;
  readonly rateLimit: number;
  readonly requestTimeoutMs: number;
  readonly allowPrivateUrls: boolean;
  readonly logLevel: string;
  /** `text` for people; null: `text` on a terminal, `json` elsewhere. */
  readonly logFormat: 'json' | 'text' | null;
  readonly logRequests: boolean;
  readonly secret: string | null;
  readonly eventRetentionMs: number;
  readonly messageRetentionMs: number;
  readonly publicUrl: string | null;
  readonly connectConcurrency: number;
  /** `power`: acknowledged data survives a power cut; `process`: only a crash of the process (docs/internals/durability.md). */
  readonly durability: 'power' | 'process';
  /** `postgres://…`, which several nodes may share; null: SQLite in the data folder. */
  readonly databaseUrl: string | null;
  readonly databaseConnections: number;
  readonly search: boolean;
  /** URL at which the other nodes reach this one; null: its listening address. */
  readonly nodeUrl: string | null;
  /** After this long without a renewal, other nodes take over this one's devices. */
  readonly leaseMs: number;
  readonly adminToken: string | null;
  readonly authFailureLimit: number;
  readonly userConcurrency: number;
  readonly trustProxy: readonly string[];
  /** PEM files of certificate chain and key; null: plain HTTP. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
  readonly maxMediaBytes: number;
  /** Where media is kept; null: in the data folder, if no other node shares the database. */
  readonly mediaStore: MediaStoreConfig | null;
  /** `setting`: the path of ffmpeg, or `none`; null: searched for in `searchPath`. */
  readonly ffmpeg: { readonly setting: string | null; readonly searchPath: string };
  /** Private hosts and ranges that `webhookUrl` and `mediaUrl` may reach. */
  readonly allowedPrivateHosts: readonly string[];
}

const dayMs = 86_400_000;
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

const durabilityOf = (env: Env): Config['durability'] => {
  const name = 'HANDSET_DURABILITY';
  const value = text(env, name) ?? 'power';
  return value === 'power' || value === 'process' ? value : fail(name, 'must be power or process', value);
};

const logFormatOf = (env: Env): Config['logFormat'] => {
  const name = 'HANDSET_LOG_FORMAT';
  const value = text(env, name);
  return value === null || value === 'json' || value === 'text' ? value : fail(name, 'must be json or text', value);
};

const searchOf = (env: Env): boolean => {
  const name = 'HANDSET_SEARCH';
  const value = text(env, name) ?? 'on';
  return value === 'on' || value === 'off' ? value === 'on' : fail(name, 'must be on or off', value);
};

/** Long enough not to be guessed, as it opens every account. Errors do not repeat the value. */
const adminTokenOf = (env: Env): string | null => {
  const token = text(env, 'HANDSET_ADMIN_TOKEN');
  if (token !== null && !/^[\x21-\x7e]{32,512}$/.test(token)) {
    throw new Error(
      'HANDSET_ADMIN_TOKEN must be 32 to 512 printable characters without spaces; try: openssl rand -hex 32',
    );
  }
  return token;
};

/** Accepts `2.3000.<revision>`, as the network's own clients write it, or the revision alone. */
const clientRevisionOf = (env: Env): number | null => {
  const raw = text(env, 'HANDSET_CLIENT_VERSION');
  if (raw === null) return null;
  const revision = Number(/^(?:2\.3000\.)?(\d{10})$/.exec(raw)?.[1]);
  if (!(revision >= 1_000_000_000 && revision <= 4_294_967_295)) {
    return fail('HANDSET_CLIENT_VERSION', 'must be 2.3000.<revision> or the revision alone, of ten digits', raw);
  }
  return revision;
};

const proxiesOf = (env: Env): readonly string[] => {
  const names = ['loopback', 'linklocal', 'uniquelocal'];
  const proxies = list(env, 'HANDSET_TRUST_PROXY');
  for (const proxy of proxies) {
    const [address = '', bits = '0'] = proxy.split('/');
    if (names.includes(proxy) || (isIP(address) !== 0 && /^\d{1,3}$/.test(bits))) continue;
    fail('HANDSET_TRUST_PROXY', `must be addresses, CIDR ranges or ${names.join(', ')}, separated by commas`, proxy);
  }
  return proxies;
};

const tlsOf = (env: Env): Config['tls'] => {
  const certFile = text(env, 'HANDSET_TLS_CERT');
  const keyFile = text(env, 'HANDSET_TLS_KEY');
  if (certFile === null && keyFile === null) return null;
  if (certFile === null || keyFile === null) {
    throw new Error('HANDSET_TLS_CERT and HANDSET_TLS_KEY must be set together, each to the path of a PEM file');
  }
  return { certFile: resolve(certFile), keyFile: resolve(keyFile) };
};

/** PostgreSQL instead of SQLite, which allows any number of nodes (docs/scaling.md). */
const clusterOf = (env: Env): Pick<Config, 'databaseUrl' | 'databaseConnections' | 'nodeUrl' | 'leaseMs'> => {
  const databaseUrl = text(env, 'HANDSET_DATABASE_URL');
  if (databaseUrl !== null && !/^postgres(ql)?:\/\/./.test(databaseUrl)) {
    throw new Error('HANDSET_DATABASE_URL must be a postgres:// URL');
  }
  if (databaseUrl !== null && text(env, 'HANDSET_SECRET') === null) {
    throw new Error('HANDSET_SECRET must be set with HANDSET_DATABASE_URL: every node seals with the same secret');
  }
  const nodeUrl = url(env, 'HANDSET_NODE_URL');
  const host = text(env, 'HANDSET_HOST') ?? '127.0.0.1';
  if (databaseUrl !== null && nodeUrl === null && ['0.0.0.0', '::'].includes(host)) {
    throw new Error(
      'HANDSET_NODE_URL must be set: the other nodes cannot reach this one at the address that it listens on',
    );
  }
  return {
    databaseUrl,
    nodeUrl,
    databaseConnections: integer(env, 'HANDSET_DATABASE_CONNECTIONS', 20, 4, 500),
    leaseMs: integer(env, 'HANDSET_LEASE_SECONDS', 10, 3, 60) * 1_000,
  };
};

const fileOf = (env: Env, name: string): string | null => {
  const path = text(env, name);
  return path === null ? null : resolve(path);
};

export const readConfig = (env: Env = process.env): Config => {
  refuseRemains(env);
  const logLevel = text(env, 'HANDSET_LOG_LEVEL') ?? 'info';
  if (!logLevels.includes(logLevel)) fail('HANDSET_LOG_LEVEL', `must be one of ${logLevels.join(', ')}`, logLevel);
  const bootstrapKey = text(env, 'HANDSET_BOOTSTRAP_KEY');
  if (bootstrapKey !== null && !/^hs_[A-Za-z0-9_-]{43}$/.test(bootstrapKey)) {
    throw new Error('HANDSET_BOOTSTRAP_KEY must be hs_ and 43 characters of base64url (32 random bytes)');
  }
  return {
    port: integer(env, 'HANDSET_PORT', 8080, 0, 65_535),
    host: text(env, 'HANDSET_HOST') ?? '127.0.0.1',
    dataDir: resolve(text(env, 'HANDSET_DATA_DIR') ?? 'data'),
    bootstrapKey,
    bootstrapDeviceLimit: integer(env, 'HANDSET_BOOTSTRAP_DEVICE_LIMIT', 10, 0, 1_000_000),
    network: url(env, 'HANDSET_NETWORK'),
    queryIdsFile: fileOf(env, 'HANDSET_QUERY_IDS'),
    clientRevision: clientRevisionOf(env),
    rateLimit: integer(env, 'HANDSET_RATE_LIMIT', 100, 1, 1_000_000),
    requestTimeoutMs: integer(env, 'HANDSET_REQUEST_TIMEOUT', 30, 1, 600) * 1000,
    allowPrivateUrls: flag(env, 'HANDSET_ALLOW_PRIVATE_URLS'),
    logLevel,
    logFormat: logFormatOf(env),
    logRequests: flag(env, 'HANDSET_LOG_REQUESTS'),
    secret: text(env, 'HANDSET_SECRET'),
    eventRetentionMs: integer(env, 'HANDSET_EVENT_RETENTION_DAYS', 7, 1, 3650) * dayMs,
    messageRetentionMs: integer(env, 'HANDSET_MESSAGE_RETENTION_DAYS', 30, 1, 3650) * dayMs,
    publicUrl: url(env, 'HANDSET_PUBLIC_URL'),
    connectConcurrency: integer(env, 'HANDSET_CONNECT_CONCURRENCY', 8, 1, 1000),
    durability: durabilityOf(env),
    search: searchOf(env),
    ...clusterOf(env),
    adminToken: adminTokenOf(env),
    authFailureLimit: integer(env, 'HANDSET_AUTH_FAILURE_LIMIT', 30, 1, 1_000_000),
    userConcurrency: integer(env, 'HANDSET_USER_CONCURRENCY', 64, 1, 10_000),
    trustProxy: proxiesOf(env),
    tls: tlsOf(env),
    maxMediaBytes: integer(env, 'HANDSET_MAX_MEDIA_MB', 100, 1, 2_000) * 1_048_576,
    mediaStore: mediaStoreOf(env),
    ffmpeg: { setting: text(env, 'HANDSET_FFMPEG'), searchPath: text(env, 'PATH') ?? '' },
    allowedPrivateHosts: list(env, 'HANDSET_ALLOWED_PRIVATE_HOSTS'),
  };
};

export const variableNames = (env: Env = process.env): readonly string[] => Object.keys(env);

export interface ClientConfig {
  readonly url: string | null;
  readonly key: string | null;
  readonly adminToken: string | null;
  readonly offline: OfflineConfig;
  readonly profile: string | null;
  readonly credentialsFile: string;
  readonly colours: boolean | null;
}

/** FORCE_COLOR wins over NO_COLOR (no-color.org), as in most programs; no colours on a dumb terminal. */
const coloursOf = (env: Env): boolean | null => {
  if (env['FORCE_COLOR'] !== undefined) return !['0', 'false'].includes(env['FORCE_COLOR']);
  return text(env, 'NO_COLOR') !== null || env['TERM'] === 'dumb' ? false : null;
};

/** Each profile has its own file beside the default one. */
export const withProfile = (file: string, profile: string): string => {
  if (!/^[\w-]{1,64}$/.test(profile)) throw new Error('A profile is named with 1 to 64 letters, digits, - and _');
  return join(dirname(file), `credentials.${profile}.json`);
};

const credentialsFileOf = (env: Env): string => {
  const folder = text(env, 'XDG_CONFIG_HOME') ?? join(homedir(), '.config');
  const file = join(folder, 'handset', 'credentials.json');
  const profile = text(env, 'HANDSET_PROFILE');
  return profile === null ? file : withProfile(file, profile);
};

export const readClientConfig = (env: Env = process.env): ClientConfig => {
  refuseRemains(env);
  return {
    // The docs write the URL with its version.
    url: url(env, 'HANDSET_URL')?.replace(/\/v1$/, '') ?? null,
    key: text(env, 'HANDSET_KEY'),
    adminToken: adminTokenOf(env),
    offline: readOfflineConfig(env),
    profile: text(env, 'HANDSET_PROFILE'),
    credentialsFile: credentialsFileOf(env),
    colours: coloursOf(env),
  };
};

export interface OfflineConfig {
  readonly dataDir: string;
  readonly secret: string | null;
  /** The new secret for `rotate-secret`; null: generate one in a file. */
  readonly newSecret: string | null;
  readonly durability?: Config['durability'];
  readonly databaseUrl?: string | null;
  readonly mediaStore?: string | null;
  readonly sandboxed: boolean;
}

const readOfflineConfig = (env: Env = process.env): OfflineConfig => ({
  dataDir: resolve(text(env, 'HANDSET_DATA_DIR') ?? 'data'),
  secret: text(env, 'HANDSET_SECRET'),
  newSecret: text(env, 'HANDSET_NEW_SECRET'),
  durability: durabilityOf(env),
  databaseUrl: text(env, 'HANDSET_DATABASE_URL'),
  mediaStore: text(env, 'HANDSET_MEDIA_STORE'),
  sandboxed: text(env, 'HANDSET_NETWORK') !== null,
});
