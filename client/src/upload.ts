/** Uploads of files, as they stream. */
import type { CallOptions } from './calls.ts';
import { HandsetUnreachable, unwrap } from './errors.ts';
import type { operations } from './schema.ts';

type Uploaded = operations['uploadFile']['responses'][200]['content']['application/json'];

/** A file: a Blob (also a `File` of a browser, or that of `fs.openAsBlob`), bytes, or a stream that is read once. */
export type UploadSource = Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

export type UploadOptions = Pick<CallOptions, 'headers' | 'signal'>;

type Fetch = (input: string, init: RequestInit) => Promise<Response>;

/** Not repeated: a stream cannot be read again, and whoever has the file can. Throws HandsetError, and HandsetUnreachable. */
export const uploadBy =
  (fetch: Fetch, baseUrl: string, authorization: string) =>
  async (deviceId: number, source: UploadSource, { headers, signal }: UploadOptions = {}): Promise<Uploaded> => {
    const type = source instanceof Blob && source.type !== '' ? source.type : 'application/octet-stream';
    const init = {
      method: 'POST',
      headers: { 'content-type': type, ...headers, authorization },
      body: source,
      ...(source instanceof ReadableStream ? { duplex: 'half' as const } : {}),
      ...(signal === undefined ? {} : { signal }),
    };
    let response: Response;
    try {
      response = await fetch(`${baseUrl}/devices/${deviceId}/files`, init);
    } catch (error) {
      signal?.throwIfAborted();
      throw new HandsetUnreachable(new URL(baseUrl).origin, error);
    }
    const body: unknown = await response.json().catch(() => null);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types are those of the document
    return unwrap<Uploaded>(response.ok ? { data: body as Uploaded, response } : { error: body, response });
  };
