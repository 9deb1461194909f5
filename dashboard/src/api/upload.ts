/** Uploads a file, and tells how much of it has gone: `fetch` cannot. */
import { texts } from '../base/texts.ts';
import { ApiError, bodyOfUpload, type Client, prefix, type UploadAnswer } from './client.ts';

const sent = (
  request: XMLHttpRequest,
  file: File,
  tell: (part: number) => void,
  signal: AbortSignal,
): Promise<UploadAnswer> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = (): void => request.abort();
    signal.addEventListener('abort', stop, { once: true });
    request.upload.addEventListener('progress', ({ loaded }) => tell(file.size === 0 ? 1 : loaded / file.size));
    request.addEventListener('load', () =>
      resolve({
        status: request.status,
        text: request.responseText,
        reason: request.getResponseHeader('handset-reason'),
      }),
    );
    request.addEventListener('error', () => reject(new ApiError(0, texts.errors.unreachable)));
    request.addEventListener('abort', () => reject(new ApiError(0, texts.errors.unreachable)));
    request.addEventListener('loadend', () => signal.removeEventListener('abort', stop));
    request.send(file);
  });

/** The id of the uploaded file. `tell` gets the part that has gone, from 0 to 1. Throws ApiError. */
export const uploadFile = async (
  client: Client,
  deviceId: number,
  file: File,
  tell: (part: number) => void,
  signal: AbortSignal,
): Promise<string> => {
  const request = new XMLHttpRequest();
  request.open('POST', `${prefix}/v1/devices/${deviceId}/files`);
  request.setRequestHeader('authorization', `Bearer ${client.secret}`);
  request.setRequestHeader('content-type', 'application/octet-stream');
  const answer = bodyOfUpload(await sent(request, file, tell, signal));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service validates its responses against the published schemas
  return (answer as { file: { id: string } }).file.id;
};
