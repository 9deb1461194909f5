/** Where media is kept: HANDSET_MEDIA_STORE, and HANDSET_S3_* for a bucket (docs/configuration.md). */
import { isAbsolute } from 'node:path';
import type { Env } from './values.ts';

export type MediaStoreConfig =
  | { readonly kind: 'folder'; readonly path: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      /** Empty, or ends with a slash. */
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
