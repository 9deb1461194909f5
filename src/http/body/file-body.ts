/** The body of an upload: the file itself, or a form (multipart/form-data) with one file; streamed. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../domain/clock.ts';
import { asError, HandsetError, invalidRequest } from '../../errors.ts';
import { bodyTrailer } from '../wire/node-auth.ts';
import { sayContinue } from './body.ts';
import { payloadTooLarge, unauthorized } from '../wire/errors.ts';
import { inTime } from './in-time.ts';

export interface FileBody {
  readonly fileName: string | null;
  readonly mimetype: string | null;
  readonly bytes: AsyncIterable<Uint8Array>;
}

const longestHeader = 1_024;
const maxFormBytes = 262_144;
const formLimits = {
  parts: 20,
  fieldNameSize: 100,
  fieldSize: 4_096,
  headerPairs: 20,
  headerSize: 8_192,
};

/** If another node signed the body, the signature is checked at its end. */
async function* bodyOf(request: FastifyRequest, clock: Clock, maxBytes: number): AsyncGenerator<Buffer, void> {
  const { body, raw, deadline } = request;
  if (!(body instanceof Readable) || deadline === null) return;
  const hash = request.passedOn ? createHash('sha256') : null;
  let size = 0;
  for await (const piece of inTime(body, deadline, clock)) {
    size += piece.length;
    if (size > maxBytes) throw payloadTooLarge();
    hash?.update(piece);
    yield piece;
  }
  if (hash === null || !request.passedOn) return;
  if (!request.passedOn.matches(hash.digest('base64url'), raw.trailers[bodyTrailer]?.toString())) throw unauthorized();
}

const openForm = (type: string): BusboyInstance => {
  try {
    return new Busboy({ headers: { 'content-type': type }, limits: formLimits });
  } catch (cause) {
    throw invalidRequest(`Content-Type is not that of a form with a file (${asError(cause).message})`);
  }
};

const fileInForm = (body: AsyncIterable<Buffer>, type: string): Promise<FileBody> => {
  const { promise, resolve, reject } = Promise.withResolvers<FileBody>();
  const form = openForm(type);
  const stop = new AbortController();
  let first: Readable | null = null;
  let files = 0;
  const readForm = async (): Promise<void> => {
    await pipeline(body, form, { signal: stop.signal });
    if (files === 0) throw invalidRequest('The form has no file: send it as a part with a file name');
    if (files > 1) throw invalidRequest('The form has more than one file; upload one at a time');
  };
  const read = readForm();
  read.catch((error: unknown) => {
    const failure = error instanceof HandsetError ? error : invalidRequest('The form is broken or ends too early');
    reject(failure);
    first?.destroy(failure);
  });
  async function* bytesOf(file: Readable): AsyncGenerator<Uint8Array> {
    try {
      yield* file;
      await read;
    } finally {
      stop.abort();
    }
  }
  form.on('file', (_field, file, fileName, _encoding, mimetype) => {
    files += 1;
    file.on('error', () => undefined);
    if (files > 1) return void file.resume();
    first = file;
    resolve({ fileName: fileName || null, mimetype: mimetype || null, bytes: bytesOf(file) });
  });
  return promise;
};

/** Sends `100 Continue` if the client waits for it. Throws InvalidRequest. */
export const fileIn = async (request: FastifyRequest, clock: Clock, maxBytes: number): Promise<FileBody> => {
  const type = request.headers['content-type']?.slice(0, longestHeader) ?? null;
  sayContinue(request.raw);
  const body = bodyOf(request, clock, maxBytes + maxFormBytes);
  if (type !== null && /^multipart\//i.test(type)) return fileInForm(body, type);
  return { fileName: null, mimetype: type, bytes: body };
};
