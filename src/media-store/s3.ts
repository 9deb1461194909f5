/** Kept files in an S3 bucket. Each is first written to a draft on disk, as its length and hash are signed. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { AwsClient } from 'aws4fetch';
import { Agent, type Dispatcher } from 'undici';
import {
  type KeptDraft,
  type KeptFiles,
  type KeptName,
  MediaFileMissing,
  MediaStoreUnavailable,
} from '../domain/messages/kept-media.ts';
import { Draft, asUnavailable, assertRoom } from './draft.ts';

export interface S3Options {
  readonly bucket: string;
  readonly prefix: string;
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly folder: string;
}

const timeoutMs = 30_000;
const maxAnswerBytes = 65_536;

interface Asked {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly hash?: string;
  readonly body?: Readable;
}

type Answer = Dispatcher.ResponseData<unknown>;

const problemOf = async ({ statusCode, body }: Answer, place: string): Promise<MediaStoreUnavailable> => {
  let text = '';
  for await (const piece of body) if (text.length < maxAnswerBytes) text += String(piece);
  const code = /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1];
  return new MediaStoreUnavailable(`${place} answers HTTP ${statusCode}${code === undefined ? '' : ` (${code})`}`);
};

const makeAsk = (options: S3Options) => {
  const { bucket, prefix, endpoint, region, accessKeyId, secretAccessKey } = options;
  const signer = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3' });
  const agent = new Agent({ headersTimeout: timeoutMs, bodyTimeout: timeoutMs, connectTimeout: timeoutMs });
  const ask = ({ deviceId, file }: KeptName, { method, headers = {}, hash, body }: Asked): Promise<Answer> =>
    asUnavailable(async () => {
      const url = new URL(`${endpoint}/${bucket}/${prefix}${deviceId}/${file}`);
      const named = hash === undefined ? {} : { 'x-amz-content-sha256': hash };
      const signed = await signer.sign(url, { method, headers: named });
      return await agent.request({
        origin: url.origin,
        path: url.pathname,
        method,
        headers: { ...Object.fromEntries(signed.headers), ...headers },
        ...(body === undefined ? {} : { body }),
      });
    });
  return { ask, close: () => agent.destroy() };
};

const contentOf = ({ file }: Draft): Readable =>
  file.createReadStream({ start: 0, autoClose: false, highWaterMark: 262_144 });

export const s3Files = (options: S3Options): KeptFiles => {
  const { ask, close } = makeAsk(options);
  const place = `s3://${options.bucket}/${options.prefix}`;
  const draftIn = async (name: KeptName): Promise<KeptDraft> => {
    const path = join(options.folder, randomUUID());
    const file = await open(path, 'wx+', 0o600);
    // Unlinked while open, so that it ends with the process.
    await rm(path, { force: true });
    const draft = new Draft(file, options.folder);
    const hash = createHash('sha256');
    return {
      async write(piece) {
        hash.update(piece);
        await draft.write(piece);
      },
      async keep() {
        const headers = { 'content-length': String(draft.length), 'content-type': 'application/octet-stream' };
        const request = { method: 'PUT', headers, hash: hash.digest('hex'), body: contentOf(draft) } as const;
        const answer = await ask(name, request).finally(() => file.close());
        if (answer.statusCode !== 200) throw await problemOf(answer, place);
        await answer.body.dump();
      },
      drop: () => file.close().catch(() => undefined),
    };
  };
  return {
    place,
    create: (name, expectedBytes) =>
      asUnavailable(async () => {
        await mkdir(options.folder, { recursive: true, mode: 0o700 });
        await assertRoom(options.folder, expectedBytes);
        return draftIn(name);
      }),
    async read(name, from, to) {
      const answer = await ask(name, { method: 'GET', headers: { range: `bytes=${from}-${to - 1}` } });
      const isWhole = String(answer.headers['content-range']).startsWith(`bytes ${from}-${to - 1}/`);
      if (answer.statusCode === 206 && isWhole) return answer.body;
      if ([206, 404, 416].includes(answer.statusCode)) {
        await answer.body.dump();
        throw new MediaFileMissing(`${place}${name.deviceId}/${name.file} is not there`);
      }
      throw await problemOf(answer, place);
    },
    async remove(name) {
      const answer = await ask(name, { method: 'DELETE' });
      if (answer.statusCode >= 300 && answer.statusCode !== 404) throw await problemOf(answer, place);
      await answer.body.dump();
    },
    close,
  };
};
