/** Parsing of environment variables; errors name the variable. */
import { isAbsolute } from 'node:path';

export type Env = Readonly<Record<string, string | undefined>>;

export const fail = (name: string, rule: string, got: string): never => {
  throw new Error(`${name} ${rule}; it is "${got}"`);
};

export const integer = (env: Env, name: string, fallback: number, min: number, max: number): number => {
  const raw = env[name];
  if (raw === undefined || raw === '') return fallback;
  const value = Number(raw);
  if (!/^\d+$/.test(raw) || value < min || value > max) {
    return fail(name, `must be a whole number from ${min} to ${max}`, raw);
  }
  return value;
};

export const flag = (env: Env, name: string): boolean => {
  const raw = env[name];
  if (raw === undefined || raw === '' || raw === 'false' || raw === '0') return false;
  return raw === 'true' || raw === '1' ? true : fail(name, 'must be true or false', raw);
};

export const url = (env: Env, name: string): string | null => {
  const raw = env[name];
  if (raw === undefined || raw === '') return null;
  const parsed = URL.canParse(raw) ? new URL(raw) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    return fail(name, 'must be an http:// or https:// URL', raw);
  return raw.replace(/(?<!\/)\/+$/, '');
};

export const text = (env: Env, name: string): string | null => env[name] || null;

/** Refuses quotation marks, carriage returns and `~`, which an env file keeps. Values are not repeated, as some are secrets. */
export const refuseRemains = (env: Env): void => {
  for (const [name, value = ''] of Object.entries(env)) {
    if (!name.startsWith('HANDSET_')) continue;
    if (/^["']/.test(value) || /["']$/.test(value))
      throw new Error(`${name} has quotation marks around its value: remove them`);
    if (/[\r\n]$/.test(value))
      throw new Error(`${name} ends with a line break: save the file of the settings with Unix line ends (LF)`);
    if (value.startsWith('~'))
      throw new Error(`${name} begins with ~, which is not replaced here: write the whole path`);
  }
};

export const list = (env: Env, name: string): readonly string[] =>
  (text(env, name) ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** Where media is kept: HANDSET_MEDIA_STORE, and HANDSET_S3_* for a bucket (docs/configuration.md). */
export type MediaStoreConfig =
  | { readonly kind: 'folder'; readonly path: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      readonly prefix: string;
      readonly endpoint: string;
      readonly region: string;
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
    };

const rule = 'must be s3://bucket or s3://bucket/prefix, or the absolute path of a folder that all nodes share';

const needed = (env: Env, name: string): string => {
  const value = env[name];
  if (!value) throw new Error(`${name} must be set where HANDSET_MEDIA_STORE is a bucket`);
  return value;
};

const endpointOf = (env: Env, region: string): string => {
  const raw = env['HANDSET_S3_ENDPOINT'];
  if (!raw) return `https://s3.${region}.amazonaws.com`;
  const parsed = URL.canParse(raw) ? new URL(raw) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.search !== '') {
    throw new Error('HANDSET_S3_ENDPOINT must be an http:// or https:// URL, without credentials and query');
  }
  return raw.replace(/(?<!\/)\/+$/, '');
};

/** Null if not set. Throws an Error that names the variable, without repeating credentials. */
export const mediaStoreOf = (env: Env): MediaStoreConfig | null => {
  const raw = env['HANDSET_MEDIA_STORE'];
  if (!raw) return null;
  if (isAbsolute(raw)) return { kind: 'folder', path: raw };
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]*))?$/.exec(raw) ?? [];
  if (bucket === undefined || path.split('/').some((part) => part === '..' || part === '.')) {
    throw new Error(`HANDSET_MEDIA_STORE ${rule}; it is "${raw}"`);
  }
  const region = env['HANDSET_S3_REGION'] || 'us-east-1';
  if (!/^[\w-]{1,64}$/.test(region)) {
    throw new Error(`HANDSET_S3_REGION must be a region, such as us-east-1; it is "${region}"`);
  }
  const prefix = path.split('/').filter(Boolean).join('/');
  return {
    kind: 's3',
    bucket,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint: endpointOf(env, region),
    region,
    accessKeyId: needed(env, 'HANDSET_S3_ACCESS_KEY_ID'),
    secretAccessKey: needed(env, 'HANDSET_S3_SECRET_ACCESS_KEY'),
  };
};
