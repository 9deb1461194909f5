/** Mistyped settings would silently have no effect. */
import { nearestName } from '../domain/nearest.ts';

const settingNames = [
  'HANDSET_PORT',
  'HANDSET_HOST',
  'HANDSET_DATA_DIR',
  'HANDSET_SECRET',
  'HANDSET_SEARCH',
  'HANDSET_DURABILITY',
  'HANDSET_BOOTSTRAP_KEY',
  'HANDSET_BOOTSTRAP_DEVICE_LIMIT',
  'HANDSET_NETWORK',
  'HANDSET_QUERY_IDS',
  'HANDSET_PUBLIC_URL',
  'HANDSET_RATE_LIMIT',
  'HANDSET_REQUEST_TIMEOUT',
  'HANDSET_ALLOW_PRIVATE_URLS',
  'HANDSET_ALLOWED_PRIVATE_HOSTS',
  'HANDSET_MAX_MEDIA_MB',
  'HANDSET_MEDIA_STORE',
  'HANDSET_DATABASE_URL',
  'HANDSET_S3_ENDPOINT',
  'HANDSET_S3_REGION',
  'HANDSET_S3_ACCESS_KEY_ID',
  'HANDSET_S3_SECRET_ACCESS_KEY',
  'HANDSET_EVENT_RETENTION_DAYS',
  'HANDSET_MESSAGE_RETENTION_DAYS',
  'HANDSET_CLIENT_VERSION',
  'HANDSET_CONNECT_CONCURRENCY',
  'HANDSET_ADMIN_TOKEN',
  'HANDSET_TLS_CERT',
  'HANDSET_TLS_KEY',
  'HANDSET_TRUST_PROXY',
  'HANDSET_AUTH_FAILURE_LIMIT',
  'HANDSET_USER_CONCURRENCY',
  'HANDSET_FFMPEG',
  'HANDSET_NEW_SECRET',
  'HANDSET_DATABASE_CONNECTIONS',
  'HANDSET_NODE_URL',
  'HANDSET_LEASE_SECONDS',
  'HANDSET_LOG_FORMAT',
  'HANDSET_LOG_LEVEL',
  'HANDSET_LOG_REQUESTS',
  'HANDSET_URL',
  'HANDSET_KEY',
  'HANDSET_PROFILE',
] as const;

/** Kubernetes sets these in every pod beside a Service called `handset`. */
const ofKubernetes = /^HANDSET_(?:SERVICE|PORT)_/;

export const unknownSettings = (variables: readonly string[]): readonly string[] =>
  variables
    .filter((name) => name.startsWith('HANDSET_') && !ofKubernetes.test(name))
    .filter((name) => !settingNames.some((known) => known === name))
    .map(
      (name) => `${name} is not a setting; did you mean ${nearestName(name, settingNames)}? See docs/configuration.md.`,
    );
