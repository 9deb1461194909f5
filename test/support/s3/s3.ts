/** An in-process S3 server that checks signatures: `@20minutes/s3rver`. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';

export interface TestBucket extends AsyncDisposable {
  readonly endpoint: string;
  readonly bucket: string;
  readonly keys: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Settings of a service that keeps its media there. */
  readonly settings: Readonly<Record<string, string>>;
  /** Paths of the objects in the bucket. */
  objects(): Promise<readonly string[]>;
  /** Stops the server; `start` brings it back on the same port with its data. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export const startBucket = async (): Promise<TestBucket> => {
  const directory = await mkdtemp(join(tmpdir(), 'handset-s3-'));
  const bucket = 'kept-media';
  let server: S3rver;
  let port = 0;
  const start = async (): Promise<void> => {
    const place = { address: '127.0.0.1', port, directory, silent: true };
    server = new S3rver({ ...place, configureBuckets: [{ name: bucket, configs: [] }] });
    ({ port } = await server.run());
  };
  const stop = async (): Promise<void> => {
    const closed = server.close();
    server.httpServer.closeAllConnections();
    await closed;
  };
  await start();
  const endpoint = `http://127.0.0.1:${port}`;
  const keys = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
  return {
    endpoint,
    bucket,
    keys,
    settings: {
      HANDSET_MEDIA_STORE: `s3://${bucket}/handset`,
      HANDSET_S3_ENDPOINT: endpoint,
      HANDSET_S3_ACCESS_KEY_ID: keys.accessKeyId,
      HANDSET_S3_SECRET_ACCESS_KEY: keys.secretAccessKey,
    },
    async objects() {
      const files = await readdir(join(directory, bucket), { recursive: true, withFileTypes: true });
      const suffix = '._S3rver_object';
      const objects = files.filter((file) => file.isFile() && file.name.endsWith(suffix));
      return objects.map(({ name }) => name.slice(0, -suffix.length));
    },
    stop,
    start,
    async [Symbol.asyncDispose]() {
      await stop().catch(() => undefined);
      await rm(directory, { recursive: true });
    },
  };
};
