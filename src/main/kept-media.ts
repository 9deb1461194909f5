/** The place of kept media, and its metrics. */
import { rm } from 'node:fs/promises';
import type { Config } from '../config.ts';
import type { KeptFiles } from '../domain/messages/kept-media.ts';
import type { Stores } from '../domain/stores.ts';
import { draftFolder, openMediaStore } from '../media-store/open.ts';
import type { Registry } from 'prom-client';
import type { FetcherStats } from '../service/media/fetcher.ts';
import { read } from './read-metric.ts';

/** Throws a readable Error if devices keep media and nodes share no media store. */
export const openKeptFiles = async (
  config: Config,
  { keptMedia }: Pick<Stores, 'keptMedia'>,
): Promise<KeptFiles | null> => {
  await rm(draftFolder(config.dataDir), { recursive: true, force: true });
  const files = openMediaStore(config);
  if (files !== null) return files;
  const keepers = await keptMedia.keepers();
  if (keepers === 0) return null;
  throw new Error(
    `HANDSET_MEDIA_STORE must be set: ${keepers} ${keepers === 1 ? 'device keeps its' : 'devices keep their'} media, and nodes on one database share no data folder. Set it to a bucket (s3://…) or to a folder that all nodes share`,
  );
};

const maxCounted = 10_000;
/** Metrics of one scrape share a query. */
const freshMs = 1_000;

interface Watched {
  readonly stores: Pick<Stores, 'keptMedia'>;
  readonly mediaFetcher: () => FetcherStats;
}

export const keptMediaMetrics = (registry: Registry, { stores, mediaFetcher }: Watched): void => {
  let known = { at: -Infinity, counts: Promise.resolve({ waiting: 0, failed: 0 }) };
  const counts = () => {
    const now = performance.now();
    if (now - known.at > freshMs) known = { at: now, counts: stores.keptMedia.counts(maxCounted) };
    return known.counts;
  };
  const bound = `; a lower bound from ${maxCounted} on`;
  read(registry, 'handset_media_waiting', `Media that waits to be fetched and kept${bound}`, async () => {
    return (await counts()).waiting;
  });
  read(registry, 'handset_media_missing', `Media that could not be had${bound}`, async () => (await counts()).failed);
  read(registry, 'handset_media_kept_total', 'Media fetched and kept', () => mediaFetcher().kept);
  read(registry, 'handset_media_kept_bytes_total', 'Bytes of it, decrypted', () => mediaFetcher().bytes);
  read(
    registry,
    'handset_media_retried_total',
    'Fetches that failed and are tried again',
    () => mediaFetcher().retried,
  );
  read(registry, 'handset_media_failed_total', 'Media given up', () => mediaFetcher().failed);
};
