/** One request that sends a message, and whether a failure leaves its outcome open. */
import { ApiError, type Client } from '../api/client.ts';
import type { Entry } from './entry.ts';

/** A lost response must not leave the message in "Sending" forever. */
const patienceMs = { text: 60_000, file: 300_000 } as const;

export const dataUrlOf = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
    reader.addEventListener('error', () => reject(reader.error ?? new Error(file.name)));
    reader.readAsDataURL(file);
  });

/** The caption goes with the first file. */
const albumOf = ({ mediaCaption, ...body }: Entry['body'], fileIds: readonly string[]): object => ({
  ...body,
  items: fileIds.map((fileId, index) => ({
    fileId,
    ...(index === 0 && mediaCaption !== undefined && { mediaCaption }),
  })),
});

/** The ID of the message. Throws ApiError. */
export const post = async (
  client: Client,
  {
    deviceId,
    recipient,
    path,
    body,
    key,
    fileId = null,
    fileIds = [],
  }: Pick<Entry, 'deviceId' | 'recipient' | 'path' | 'body' | 'key' | 'fileId' | 'fileIds'>,
  file: File | undefined,
  closed: AbortSignal,
): Promise<string> => {
  const media = fileId !== null ? { fileId } : file === undefined ? {} : { mediaBase64: await dataUrlOf(file) };
  const late = AbortSignal.timeout(file === undefined ? patienceMs.text : patienceMs.file);
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ ...recipient, ...(fileIds.length === 0 ? body : albumOf(body, fileIds)), ...media }),
  };
  try {
    const answer = await client.raw(`/v1/devices/${deviceId}/messages/${path}`, {
      ...init,
      signal: AbortSignal.any([late, closed]),
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service validates its responses against the published schemas
    return ((await answer.json()) as { messageId: string }).messageId;
  } catch (error) {
    // The body may be cut off, too.
    if (error instanceof ApiError) throw error;
    throw new ApiError(0, error instanceof Error ? error.message : String(error));
  }
};

/** No response, or one that does not settle whether the message was sent. The key makes a retry safe. */
const open = new Set([0, 408, 409, 502, 503, 504]);

export const isOpen = (error: unknown): boolean => error instanceof ApiError && open.has(error.code);
